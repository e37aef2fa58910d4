import { once } from "node:events";
import { parseArgs } from "node:util";
import { startScriptedModel } from "./index.ts";

/** Runs the scripted model alone: `main.ts [--port N] [--token-delay-ms N]`, until SIGINT or SIGTERM. */
const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    "token-delay-ms": { type: "string", default: "10" },
  },
});

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    stop.abort();
  });
}

const model = await startScriptedModel({
  port: wholeNumber("port", values.port),
  tokenDelayMs: wholeNumber("token-delay-ms", values["token-delay-ms"]),
});
process.stdout.write(`scripted model listening on ${model.url}\n`);
if (!stop.signal.aborted) await once(stop.signal, "abort");
await model.close();

function wholeNumber(option: string, value: string): number {
  if (/^\d+$/u.test(value)) return Number(value);
  process.stderr.write(`--${option} must be a whole number, not "${value}".\n`);
  process.exit(2);
}
