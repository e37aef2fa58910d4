import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { startNats } from "../nats/embedded-nats.ts";
import { type SharedCluster, takeAccount } from "./cluster-accounts.ts";
import { deleteStreams } from "./delete-streams.ts";
import "./provided-context.ts";

/** A JetStream that nobody else uses. */
export interface TestNats extends AsyncDisposable {
  /** Of all servers, separated by commas. */
  readonly url: string;
  /** What an event store on it is opened with. */
  readonly durability: "relaxed" | "replicated";
  /** Ends it and removes its data. Fine to call twice. */
  stop(): Promise<void>;
}

/**
 * Gives a test file a JetStream of its own: a server, or, in the project that runs the tests on three
 * copies, an account of the cluster. The only place that decides which.
 */
export const startTestNats = (): Promise<TestNats> => {
  const cluster = inject("sharedCluster");
  return cluster === undefined ? startServer() : startInAccount(cluster);
};

const startServer = async (): Promise<TestNats> => {
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
  return { url: nats.url, durability: "relaxed", stop, [Symbol.asyncDispose]: stop };
};

const startInAccount = async (cluster: SharedCluster): Promise<TestNats> => {
  const url = await takeAccount(cluster);
  // Each stream is a Raft group of three servers, which would work on for files that are done.
  const stop = (): Promise<void> => deleteStreams(url);
  return { url, durability: "replicated", stop, [Symbol.asyncDispose]: stop };
};
