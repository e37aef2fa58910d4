import { Command } from "commander";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import {
  openTestClusterStore,
  type TestClusterStore,
} from "#event-store/cluster/testing/test-cluster-store";
import { execute } from "#event-store/aggregates/execute";
import { counter, setMode, testMeta } from "#event-store/testing/counter";
import { readConfig } from "../../config.ts";
import { addReplicaCommands } from "./streams-replicas.ts";

let test: TestClusterStore;
beforeAll(async () => {
  test = await openTestClusterStore();
});
afterAll(() => test.close());
afterEach(() => {
  process.exitCode = undefined;
});

const run = async (args: readonly string[], onLine: (line: string) => void = () => undefined) => {
  const lines: string[] = [];
  const program = new Command();
  const config = readConfig({
    NATS_MONITORS: test.cluster.nodes.map(({ monitor }) => monitor).join(", "),
  });
  addReplicaCommands(program, {
    config,
    print: (line) => {
      lines.push(line);
      onLine(line);
    },
  });
  await program.parseAsync([...args], { from: "user" });
  return lines;
};

it("audits the replicas, and heals one with the operator's own hands on its server", async () => {
  const key = { organization: newId("organization"), id: newId("policy") };
  await execute(test.store, counter, key, setMode("a"), testMeta());
  expect(await run(["audit", "--patience", "30"])).toEqual([
    "EVENTS_0 n1: 1 messages up to 1",
    "EVENTS_0 n2: 1 messages up to 1",
    "EVENTS_0 n3: 1 messages up to 1",
    "Every replica is whole.",
  ]);

  const node = test.cluster.node("n2");
  const hands: Promise<void>[] = [];
  const heal = ["heal", "--node", "n2", "--stream", "EVENTS_0", "--patience", "60"];
  const healed = await run(heal, (line) => {
    if (line === "Now stop the server of n2.") hands.push(node.stop());
    if (line === "Now start the server of n2.") hands.push(node.start());
  });
  await Promise.all(hands);
  expect(healed.at(-1)).toBe("The replica of EVENTS_0 on n2 is whole.");
  expect(hands).toHaveLength(2);

  await node.kill();
  const audited = await run(["audit", "--patience", "0", "--json"]);
  expect(JSON.parse(audited.join("\n"))).toMatchObject({
    alarms: expect.arrayContaining([{ kind: "unreachable", monitor: node.monitor }]) as unknown,
  });
  expect(process.exitCode).toBe(1);
}, 180_000);
