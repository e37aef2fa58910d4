import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NatsCluster, startNatsCluster } from "../nats-cluster/nats-cluster.ts";
import type { NodePlace } from "../nats-cluster/node-place.ts";

/** Starts three servers on an empty temporary folder; `stop` also removes their data. */
export const startTemporaryCluster = async (options: {
  readonly binary: string;
  readonly accounts?: readonly string[];
  readonly places?: readonly NodePlace[];
}): Promise<NatsCluster> => {
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-test-cluster-"));
  const cluster = await startNatsCluster({
    ...options,
    dataDir,
    syncInterval: "always",
    endsWithParent: true,
  });
  const stop = async (): Promise<void> => {
    await cluster.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...cluster, stop, [Symbol.asyncDispose]: stop };
};
