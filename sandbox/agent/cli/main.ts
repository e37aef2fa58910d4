/**
 * The `proliferate` command inside a sandbox, and the sidecar as one of its words. It is bundled into one file
 * and needs only Node there, so it imports nothing but contracts and small libraries.
 */
import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { CommanderError } from "commander";
import { z } from "zod";
import type { EnvPlace } from "./env-commands.ts";
import { CommandFailed, exitCodes } from "./exit-codes.ts";
import { openGateway, type Gateway } from "./gateway.ts";
import { program } from "./program.ts";
import { openSidecarClient, type SidecarClient } from "./sidecar-client.ts";

const gatewaySchema = z.object({
  PROLIFERATE_GATEWAY_URL: z.url(),
  PROLIFERATE_SESSION_ID: z.string().min(1),
  PROLIFERATE_SANDBOX_TOKEN: z.string().min(1),
});

const gateway = (): Gateway => {
  const environment = fromEnvironment(gatewaySchema);
  return openGateway({
    url: environment.PROLIFERATE_GATEWAY_URL,
    sessionId: environment.PROLIFERATE_SESSION_ID,
    token: environment.PROLIFERATE_SANDBOX_TOKEN,
  });
};

/** One token does for both; a sidecar may have one of its own. */
const sidecarToken = () =>
  process.env["SANDBOX_MCP_AUTH_TOKEN"] || process.env["PROLIFERATE_SANDBOX_TOKEN"] || undefined;

const sidecarSchema = z.object({
  PROLIFERATE_SIDECAR_URL: z.url().default("http://127.0.0.1:4000"),
});

const sidecar = (): SidecarClient => {
  const token = sidecarToken();
  if (token === undefined) throw outsideSandbox("PROLIFERATE_SANDBOX_TOKEN");
  return openSidecarClient({ url: fromEnvironment(sidecarSchema).PROLIFERATE_SIDECAR_URL, token });
};

const envPlace = (): EnvPlace => {
  const home = process.env["HOME"] || homedir();
  return {
    home,
    searchPath: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    valuesFile: process.env["PROLIFERATE_ENV_FILE"] || join(home, ".proliferate", "env.json"),
    variables: process.env,
  };
};

/** The sidecar is most of the bundle; other commands do not load it. */
const runSidecar = async (configFile: string): Promise<void> => {
  const { readSidecarConfig } = await import("../sidecar/config.ts");
  const { startSidecar } = await import("../sidecar/start-sidecar.ts");
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const config = await readSidecarConfig(configFile).catch((error: unknown) => {
    throw new CommandFailed(exitCodes.usage, messageOf(error));
  });
  const running = await startSidecar({
    config,
    token: sidecarToken() ?? null,
    environment: z.record(z.string(), z.string()).parse({ ...process.env }),
    report: (error) => say(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  });
  say(`The sidecar listens on ${config.host}:${running.port}.`);
  await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  await running.close();
};

const fromEnvironment = <T>(schema: z.ZodType<T>): T => {
  const environment = schema.safeParse(process.env);
  if (environment.success) return environment.data;
  throw outsideSandbox(environment.error.issues.map(({ path }) => path.join(".")).join(", "));
};

const outsideSandbox = (missing: string): CommandFailed =>
  new CommandFailed(
    exitCodes.usage,
    `This works only inside a sandbox; missing or malformed: ${missing}.`,
  );

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const command = program(
  { gateway, sidecar, envPlace, runSidecar },
  {
    out: (value) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    text: (text) => process.stdout.write(text.endsWith("\n") ? text : `${text}\n`),
    say: (line) => process.stderr.write(`${line}\n`),
  },
);

const overrideExit = (each: typeof command): void => {
  each.exitOverride();
  each.commands.forEach(overrideExit);
};
overrideExit(command);

try {
  await command.parseAsync();
} catch (error) {
  // `process.exit` would cut output that a pipe has not taken yet.
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  } else if (error instanceof CommandFailed) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  } else {
    throw error;
  }
}
