/**
 * Test aid: the program's runner on a `sandbox-host.ts`, in a process of its own that may be killed. The
 * settings are the program's, with `SANDBOX_HOST`, `LEASE_TTL_MS` and the owner's limits beside them.
 */
import { once } from "node:events";
import { pino } from "pino";
import { z } from "zod";
import { readConfig } from "../../config.ts";
import { openPlatform } from "../../platform.ts";
import { startHostedRunner } from "./start-hosted-runner.ts";

const settings = z
  .object({
    NATS_URL: z.string(),
    DATABASE_URL: z.string(),
    SECRETS_KEY: z.string(),
    SANDBOX_HOST: z.url(),
    LEASE_TTL_MS: z.coerce.number(),
    START_MS: z.coerce.number(),
    MOVE_MS: z.coerce.number(),
    PAUSES: z.stringbool(),
    CAPACITY: z.coerce.number(),
  })
  .parse(process.env);
const config = readConfig(process.env);
const log = pino({ level: config.LOG_LEVEL }, pino.destination(2));
const platform = await openPlatform({
  config,
  log,
  natsUrl: settings.NATS_URL,
  databaseUrl: settings.DATABASE_URL,
  secretsKey: settings.SECRETS_KEY,
});
const runner = await startHostedRunner(platform, {
  hostUrl: settings.SANDBOX_HOST,
  pauses: settings.PAUSES,
  capacity: settings.CAPACITY,
  leaseTtlMs: settings.LEASE_TTL_MS,
  limits: {
    startMs: settings.START_MS,
    startRetryMs: 100,
    moveMs: settings.MOVE_MS,
    nameAuthorMs: 30_000,
  },
});
const stopped = once(process, "SIGTERM");
process.stdout.write("Running: runner.\n");
await stopped;
await runner.stop();
await platform.stop();
