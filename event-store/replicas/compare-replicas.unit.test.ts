import { expect, it } from "vitest";
import { compareReplicas, furthestOf } from "./compare-replicas.ts";
import type { NodeReading } from "./read-node.ts";

const nodes = ["n1", "n2", "n3"];

const reading = (
  node: string,
  [firstSequence, lastSequence, messages]: readonly [number, number, number],
): NodeReading => ({
  node,
  monitor: `http://${node}`,
  storeDir: "/store",
  replicas: [{ node, stream: "EVENTS_0", firstSequence, lastSequence, messages }],
  placements: new Map([["EVENTS_0", { account: "$G", raftGroup: "group", nodes, leader: "n1" }]]),
});

const whole = (): NodeReading[] => nodes.map((node) => reading(node, [1, 100, 100]));
const kinds = (readings: readonly NodeReading[], before = readings) =>
  compareReplicas(readings, furthestOf(before)).map((alarm) => [alarm.kind, alarm.node]);

it("finds nothing wrong with replicas that are whole, empty or ahead of the others", () => {
  expect(kinds(whole())).toEqual([]);
  expect(kinds(nodes.map((node) => reading(node, [0, 0, 0])))).toEqual([]);
  const [, ...others] = whole();
  expect(kinds([reading("n1", [1, 120, 120]), ...others], whole())).toEqual([]);
});

it("finds a hole, a missing head, a replica that stands still, and one that is not there", () => {
  const [first, second] = whole();
  if (!first || !second) throw new Error("There are three.");
  expect(kinds([first, second, reading("n3", [1, 100, 60])])).toEqual([["holes", "n3"]]);
  expect(kinds([first, second, reading("n3", [41, 100, 60])])).toEqual([["holes", "n3"]]);
  expect(kinds([first, second, reading("n3", [1, 60, 60])])).toEqual([["behind", "n3"]]);
  expect(kinds([first, second, reading("n3", [0, 0, 0])])).toEqual([["behind", "n3"]]);
  expect(kinds([first, second])).toEqual([["missing", "n3"]]);
});
