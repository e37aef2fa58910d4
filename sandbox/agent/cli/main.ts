/**
 * The `proliferate` command inside a sandbox. It is bundled into one file and needs only Node there, so it
 * imports nothing but contracts and small libraries.
 */
import { CommanderError } from "commander";
import { z } from "zod";
import { CommandFailed, exitCodes } from "./exit-codes.ts";
import { openGateway, type Gateway } from "./gateway.ts";
import { program } from "./program.ts";

const environmentSchema = z.object({
  PROLIFERATE_GATEWAY_URL: z.url(),
  PROLIFERATE_SESSION_ID: z.string().min(1),
  PROLIFERATE_SANDBOX_TOKEN: z.string().min(1),
});

const gateway = (): Gateway => {
  const environment = environmentSchema.safeParse(process.env);
  if (!environment.success) {
    const missing = environment.error.issues.map(({ path }) => path.join(".")).join(", ");
    throw new CommandFailed(
      exitCodes.usage,
      `This works only inside a sandbox; missing or malformed: ${missing}.`,
    );
  }
  return openGateway({
    url: environment.data.PROLIFERATE_GATEWAY_URL,
    sessionId: environment.data.PROLIFERATE_SESSION_ID,
    token: environment.data.PROLIFERATE_SANDBOX_TOKEN,
  });
};

const command = program(gateway, {
  out: (value) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`),
  text: (text) => process.stdout.write(text.endsWith("\n") ? text : `${text}\n`),
  say: (line) => process.stderr.write(`${line}\n`),
});

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
