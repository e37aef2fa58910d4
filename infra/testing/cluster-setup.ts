import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { findNatsServer } from "../nats/find-nats-server.ts";
import { accountNames } from "./cluster-accounts.ts";
import { startTemporaryCluster } from "./temporary-cluster.ts";
import "./provided-context.ts";

/** Vitest global setup of a project whose logs have three copies: one cluster for all of its files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "proliferate-test-shared-"));
  const takenAccounts = join(folder, "taken");
  const timeZones = join(folder, "zones");
  await Promise.all([mkdir(takenAccounts), mkdir(timeZones)]);
  const binary = await findNatsServer({ env: process.env });
  process.env["ZONEINFO"] = timeZones;
  const cluster = await startTemporaryCluster({ binary, accounts: accountNames });
  delete process.env["ZONEINFO"];
  project.provide("sharedCluster", { url: cluster.url, takenAccounts, timeZones });
  return async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
