import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { type NatsCluster, startNatsCluster } from "../nats-cluster/nats-cluster.ts";
import "./provided-context.ts";

/** Starts three servers on an empty temporary folder; `stop` also removes their data. */
export const startTestNatsCluster = async (): Promise<NatsCluster> => {
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-test-cluster-"));
  const cluster = await startNatsCluster({
    dataDir,
    binary: inject("natsServerBinary"),
    syncInterval: "always",
    endsWithParent: true,
  });
  const stop = async (): Promise<void> => {
    await cluster.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...cluster, stop, [Symbol.asyncDispose]: stop };
};
