import { pino } from "pino";
import { afterEach, expect, it, vi } from "vitest";
import type { ToolAsk } from "#contracts/agent";
import { derivedId } from "#contracts/ids";
import { createToolDesk } from "../testing/tool-desk.ts";
import { openToolAsks, type ToolAsks } from "./tool-asks.ts";

const ask = (id: string, conversation = "main"): ToolAsk => ({
  id,
  conversation,
  tool: "bash",
  patterns: [],
  metadata: {},
});

let asks: ToolAsks | undefined;
afterEach(() => asks?.close());

const open = () => {
  const desk = createToolDesk();
  const context = {
    organization: derivedId("organization", "1"),
    session: derivedId("session", "1"),
    deps: { agentTools: desk.agentTools, log: pino({ level: "silent" }) },
  };
  asks = openToolAsks(context, desk.client);
  return { ...desk, asks };
};

/** Waits until so much was done. */
const doneAfter = (done: readonly string[], steps: number) =>
  vi.waitFor(() => expect(done).toHaveLength(steps), { timeout: 30_000 });

it("a refusal waits for the other tools of its conversation, which it would refuse as well", async () => {
  const { asks, verdicts, done } = open();
  verdicts.set("no", { kind: "refused", reason: "Not this." });
  verdicts.set("elsewhere", { kind: "refused", reason: "Nor this." });
  asks.update([ask("no"), ask("later"), ask("elsewhere", "sent out")]);
  await doneAfter(done, 1);
  expect(done).toEqual(["reject elsewhere"]);
  verdicts.set("later", { kind: "allowed" });
  asks.look();
  await doneAfter(done, 5);
  expect(done.slice(1)).toEqual(["begin later", "once later", "end later released", "reject no"]);
});

it("what nobody waits for any more is withdrawn, unless it was answered here", async () => {
  const { asks, verdicts, done } = open();
  verdicts.set("yes", { kind: "allowed" });
  asks.update([ask("yes"), ask("dropped")]);
  await doneAfter(done, 3);
  asks.update([]);
  await doneAfter(done, 4);
  expect(done).toEqual(["begin yes", "once yes", "end yes released", "withdraw dropped"]);
});

it("a tool whose release was not heard of may have run", async () => {
  const { asks, verdicts, losing, done } = open();
  verdicts.set("yes", { kind: "allowed" });
  losing.add("yes");
  asks.update([ask("yes")]);
  await doneAfter(done, 5);
  expect(done).toEqual(["begin yes", "once yes", "begin yes", "once yes", "end yes unknown"]);
});
