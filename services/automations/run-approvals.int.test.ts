import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { derivedId, newId, type InvocationId, type RunId, type SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { loadAggregate } from "#event-store/aggregates/load";
import type { Worker } from "#event-store/workers/worker";
import { listRuns } from "#projections/runs/queries";
import { denyInvocation } from "../actions/commands.ts";
import { type ActionWorld, patience, startActionWorld } from "../actions/testing/action-world.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import { completeRun, loadRun, matchTrigger, openRunSession } from "./commands.ts";
import { startRunApprovals } from "./run-approvals.ts";

let world: ActionWorld;
const workers: Worker[] = [];
beforeAll(async () => {
  world = await startActionWorld();
  const { store, log } = world.stack;
  // Two, as in a deployment.
  for (let n = 0; n < 2; n += 1) {
    workers.push(await startRunApprovals({ store, log, defaultModel: "test" }));
  }
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await world.close();
});

const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });

const startRun = async (): Promise<{ run: RunId; session: SessionId }> => {
  const { store, organization } = world.stack;
  const run = newId("run");
  const key = { organization, id: run };
  await matchTrigger(
    store,
    key,
    {
      triggerId: derivedId("trigger", "1"),
      dedupKey: run,
      title: "Release",
      prompt: "Release it.",
      repository: null,
      session: null,
    },
    meta(),
  );
  const session = await world.stack.createSession({ kind: "automation", runId: run });
  await openRunSession(store, key, session, meta());
  return { run, session };
};

const waitingFor = async (id: RunId): Promise<readonly InvocationId[]> => {
  const state = await loadRun(world.stack.store, { organization: world.stack.organization, id });
  return "waitingFor" in state ? state.waitingFor : [];
};

const statusOf = async (id: RunId) =>
  (
    await listRuns(world.stack.sql, { organization: world.stack.organization, limit: 50 })
  ).runs.find((run) => run.id === id)?.status;

const promptsOf = async (id: SessionId): Promise<readonly string[]> => {
  const { store, organization } = world.stack;
  const { state } = await loadAggregate(store, sessionAggregate, { organization, id });
  return state.status === "none" ? [] : state.prompts.map(({ text }) => text);
};

const ask = async (session: SessionId): Promise<{ id: InvocationId; version: string }> => {
  const version = world.nextVersion();
  const { body } = await world.invoke(session, { params: { version } });
  return { id: body.invocation.id, version };
};

it("a run needs a human while its agent waits, and its agent is told once what came of it", async () => {
  const { run, session } = await startRun();
  const { id, version } = await ask(session);
  await vi.waitFor(async () => expect(await waitingFor(run)).toEqual([id]), patience);
  await vi.waitFor(async () => expect(await statusOf(run)).toBe("needs_human"), patience);
  expect(await promptsOf(session)).toEqual([]);

  await world.approve(session, id);
  await vi.waitFor(async () => expect(await waitingFor(run)).toEqual([]), patience);
  await vi.waitFor(async () => expect(await statusOf(run)).toBe("running"), patience);
  expect(world.published(version)).toBe(1);
  const prompts = await promptsOf(session);
  expect(prompts).toHaveLength(1);
  expect(prompts[0]).toContain(version);
});

it("a refusal reaches the agent with its reason, and a run that is over is left alone", async () => {
  const { store, organization, deps } = world.stack;
  const [open, over] = [await startRun(), await startRun()];
  const [refused, late] = [await ask(open.session), await ask(over.session)];
  await vi.waitFor(async () => expect(await waitingFor(over.run)).toEqual([late.id]), patience);
  const report = {
    outcome: "needs_human" as const,
    summary: null,
    citations: [],
    diffRef: null,
    testReportRef: null,
    sideEffectRefs: [],
  };
  const completion = { sessionId: over.session, completionId: "1", report };
  await completeRun(store, { organization, id: over.run }, completion, meta());
  for (const [{ session }, { id }] of [
    [over, late],
    [open, refused],
  ] as const) {
    const resolution = { organization, sessionId: session, id, by: newId("user") };
    await denyInvocation(deps, { ...resolution, reason: "Wait until Monday." }, meta());
  }
  await vi.waitFor(
    async () =>
      expect(await promptsOf(open.session)).toEqual([
        expect.stringContaining("Wait until Monday."),
      ]),
    patience,
  );
  expect(await promptsOf(over.session)).toEqual([]);
  await vi.waitFor(async () => expect(await statusOf(over.run)).toBe("completed"), patience);
});
