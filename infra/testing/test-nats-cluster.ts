import { inject } from "vitest";
import type { NatsCluster } from "../nats-cluster/nats-cluster.ts";
import { startTemporaryCluster } from "./temporary-cluster.ts";
import "./provided-context.ts";

/** Starts three servers for a test that stops or damages them. */
export const startTestNatsCluster = (): Promise<NatsCluster> =>
  startTemporaryCluster({ binary: inject("natsServerBinary") });
