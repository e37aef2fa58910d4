/** The role `fanout` in a process of its own, which a test may kill; says its port once it serves. */
import { pino } from "pino";
import { readConfig } from "../../config.ts";
import { createOutbound } from "../../integrations/outbound/outbound.ts";
import { openPlatform } from "../../platform.ts";
import { startFanoutRole } from "../../roles/fanout.ts";
import { openSecrets } from "../../secrets/secrets.ts";

const [settings = "{}"] = process.argv.slice(2);
const environment = JSON.parse(settings) as Record<string, string>;
const platform = await openPlatform({
  config: readConfig(environment),
  log: pino({ level: "error" }, pino.destination(2)),
  natsUrl: environment["NATS_URL"] ?? "",
  databaseUrl: environment["DATABASE_URL"] ?? "",
  secretsKey: environment["SECRETS_KEY"] ?? "",
});
const secrets = await openSecrets(platform.sql, platform.keys.secretWrapping);
const outbound = createOutbound({ allowedNetworks: [] });
const { port } = await startFanoutRole(platform, { secrets, outbound });
process.stdout.write(`port ${port}\n`);
