/** A real NATS server on a data folder and a port of its own, which a test may kill and start again. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { type EmbeddedNats, startNats } from "#infra/nats/embedded-nats";

export interface RestartableNats {
  readonly url: string;
  /** Ends the server with SIGKILL, or SIGTERM for an orderly end; resolves when it is gone. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Holds the server still with SIGSTOP, or lets it go on with SIGCONT. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** Starts it again on the same data and the same port. */
  start(): Promise<void>;
  /** Stops it and removes the data. */
  close(): Promise<void>;
}

export const startRestartableNats = async (): Promise<RestartableNats> => {
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-test-nats-"));
  const start = (port?: number): Promise<EmbeddedNats> =>
    startNats({
      dataDir,
      binary: inject("natsServerBinary"),
      syncInterval: "2m",
      endsWithParent: true,
      ...(port === undefined ? {} : { port }),
    });
  let nats = await start();
  const { url, port } = nats;
  return {
    url,
    end: async (signal) => {
      process.kill(nats.pid, signal);
      await nats.exited;
      await nats.stop();
    },
    signal: (signal) => {
      process.kill(nats.pid, signal);
    },
    start: async () => {
      nats = await start(port);
    },
    close: async () => {
      await nats.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
