import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { startNats } from "../nats/embedded-nats.ts";
import "./provided-context.ts";

export interface TestNats extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Stops the server and removes its data. Fine to call twice. */
  stop(): Promise<void>;
}

/** Starts a `nats-server` on an empty temporary folder: one per test file. */
export const startTestNats = async (): Promise<TestNats> => {
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-test-nats-"));
  const nats = await startNats({
    dataDir,
    binary: inject("natsServerBinary"),
    syncInterval: "2m",
    endsWithParent: true,
  });
  const stop = async (): Promise<void> => {
    await nats.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { url: nats.url, pid: nats.pid, stop, [Symbol.asyncDispose]: stop };
};
