import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";
import { aloneInNetwork, whyNoNetworks } from "#infra/nats-cluster/node-networks";
import type { PartitionOutcome } from "./testing/partition-process.ts";

const reason = await whyNoNetworks();
if (reason !== undefined) process.stderr.write(`The partition test is skipped: ${reason}\n`);

it.skipIf(reason !== undefined)(
  "acknowledges nothing on the side of a cut-off leader, and loses nothing of the other",
  async () => {
    const program = new URL("testing/partition-process.ts", import.meta.url).pathname;
    const { command, args } = aloneInNetwork({
      command: process.execPath,
      args: [
        "--conditions=proliferate-source",
        "--import",
        "tsx",
        program,
        inject("natsServerBinary"),
      ],
    });
    const { stdout } = await promisify(execFile)(command, [...args], { timeout: 280_000 });
    const outcome = JSON.parse(stdout) as PartitionOutcome;

    expect(outcome).toMatchObject({ acknowledgedByMinority: 0, minorityResumed: true, alarms: [] });
    expect(outcome.acknowledgedByMajority).toBeGreaterThanOrEqual(500);
    const [first] = outcome.replicas;
    expect(outcome.replicas).toHaveLength(3);
    expect(first?.commits).toBeGreaterThanOrEqual(outcome.acknowledged);
    for (const replica of outcome.replicas) {
      expect(replica).toMatchObject({ lost: 0, repeated: 0, outOfOrder: 0, chain: { ok: true } });
      expect(replica.digest).toBe(first?.digest);
    }
  },
  300_000,
);
