/** The role `fanout` in a process of its own, which a test may kill; says its port once it serves. */
import { pino } from "pino";
import { readConfig } from "../../config.ts";
import { openPlatform } from "../../platform.ts";
import { startFanoutRole } from "../../roles/fanout.ts";

const [settings = "{}"] = process.argv.slice(2);
const environment = JSON.parse(settings) as Record<string, string>;
const platform = await openPlatform({
  config: readConfig(environment),
  log: pino({ level: "error" }, pino.destination(2)),
  natsUrl: environment["NATS_URL"] ?? "",
  databaseUrl: environment["DATABASE_URL"] ?? "",
  secretsKey: environment["SECRETS_KEY"] ?? "",
});
const { port } = await startFanoutRole(platform);
process.stdout.write(`port ${port}\n`);
