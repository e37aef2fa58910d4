import { startEmbeddedStack } from "../embedded-stack.ts";

/** Test aid: starts a stack on the folder of its argument, says so in one line of JSON, and stays. */
const { natsUrl, databaseUrl } = await startEmbeddedStack({
  dataDir: process.argv[2] ?? "",
  env: process.env,
  durability: "relaxed",
});
process.stdout.write(`${JSON.stringify({ natsUrl, databaseUrl })}\n`);
