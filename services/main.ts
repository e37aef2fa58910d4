/** `npm start`: runs the roles of this process until it is told to stop. */
import { pino } from "pino";
import { isDomainError } from "#contracts/errors";
import { readConfig } from "./config.ts";
import { type Program, startProgram } from "./start-program.ts";

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const main = async (): Promise<void> => {
  const config = readConfig(process.env);
  const log = pino({ level: config.LOG_LEVEL }, pino.destination(2));
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, resolve);
    }
  });
  const starting = startProgram({
    config,
    log,
    environment: process.env,
    onProgress: (message) => process.stderr.write(`${message}\n`),
  });
  const program = await starting;
  try {
    await announce(program);
    const reason = await Promise.race([stopped, program.lost.then((name) => ({ lost: name }))]);
    if (typeof reason === "object") {
      process.exitCode = 1;
      process.stderr.write(`${reason.lost} has ended by itself; stopping.\n`);
    } else {
      say("Stopping…");
    }
  } finally {
    await program.stop();
  }
};

const announce = async ({ gateway, platform }: Program): Promise<void> => {
  if (!gateway) {
    say(`Running: ${platform.config.ROLES.join(", ")}.`);
    return;
  }
  const url = platform.config.PUBLIC_URL ?? gateway.url;
  const owner = await gateway.identity.ensureFirstOwner();
  const token = await gateway.identity.issueSignInToken(owner.id);
  say(`Ready at ${url}`);
  say(`Sign in as ${owner.email}: ${url}/#token=${token}`);
  if (platform.config.ANTHROPIC_API_KEY === undefined) {
    say("No ANTHROPIC_API_KEY is set: a scripted model answers, for development only.");
  }
};

try {
  await main();
} catch (error) {
  const text = isDomainError(error) ? error.message : error instanceof Error ? error.stack : error;
  process.stderr.write(`${String(text)}\n`);
  process.exitCode = 1;
}
