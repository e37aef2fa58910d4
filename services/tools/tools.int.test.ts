/** The tools' route on a real log, asked by several gateways. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { lastSequence } from "#event-store/reading/commit-feed";
import { execute } from "#event-store/aggregates/execute";
import { openLiveFeed } from "#event-store/live/live-channel";
import { loadAggregate } from "#event-store/aggregates/load";
import { matchTrigger } from "../automations/commands.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import type { ExistingSession } from "../sessions/aggregate/state.ts";
import { callOf, toolCallsAggregate } from "./decider.ts";
import {
  startToolWorld,
  type ToolGateway,
  type ToolWorld,
  userToken,
} from "./testing/tool-gateways.ts";

let world: ToolWorld;
let gateway: ToolGateway;
beforeAll(async () => {
  world = await startToolWorld();
  gateway = await world.gateway();
});
afterAll(() => world.close());

const commands = [{ name: "web", command: "npm run dev", cwd: "apps/web" }];
const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
const stateOf = async (session: SessionId): Promise<ExistingSession> => {
  const key = { organization: world.organization, id: session };
  return (await loadAggregate(world.store, sessionAggregate, key)).state as ExistingSession;
};
const isReceived = async (session: SessionId, id: string): Promise<boolean> => {
  const key = { organization: world.organization, id: session };
  return (
    callOf((await loadAggregate(world.store, toolCallsAggregate, key)).state, id) !== undefined
  );
};

describe("who may call", () => {
  it.each([
    ["nobody", null, 401, "unauthenticated"],
    ["a person", userToken, 403, "forbidden"],
    ["a forger", "sbx1.e30.AAAA", 401, "sandbox_token_invalid"],
  ])("refuses %s", async (_who, token, status, code) => {
    const session = await world.createSession();
    const before = await lastSequence(world.store, 0);
    const reply = await gateway.call({ session, tool: "save_snapshot", token });
    expect(reply).toMatchObject({ status, body: { code } });
    expect(await lastSequence(world.store, 0)).toBe(before);
  });

  it("refuses the sandbox of another session", async () => {
    const [session, other] = [await world.createSession(), await world.createSession()];
    const reply = await gateway.call({
      session,
      tool: "save_snapshot",
      token: world.tokenOf(other),
    });
    expect(reply).toMatchObject({ status: 404, body: { code: "session_not_found" } });
  });
});

describe("what is refused before anything is written", () => {
  it.each([
    ["an unknown tool", { tool: "verify" }, 404, "tool_not_found"],
    [
      "a setup tool",
      { tool: "save_service_commands", args: { commands } },
      403,
      "tool_not_available",
    ],
    ["an automation's tool", { tool: "automation.complete" }, 403, "tool_not_available"],
    [
      "an unknown argument",
      { tool: "save_snapshot", args: { mesage: "x" } },
      422,
      "tool_args_invalid",
    ],
    [
      "a wrong argument",
      { tool: "request_env_variables", args: { keys: [{ key: "A B" }] } },
      422,
      "tool_args_invalid",
    ],
    ["a later version", { tool: "save_snapshot", version: 2 }, 409, "tool_schema_unsupported"],
    ["an id that is none", { tool: "save_snapshot", id: "a b" }, 422, "request_invalid"],
    ["arguments that are none", { tool: "save_snapshot", args: [] }, 422, "request_invalid"],
  ])("%s", async (_what, call, status, code) => {
    const session = await world.createSession();
    const before = await lastSequence(world.store, 0);
    expect(await gateway.call({ session, ...call })).toMatchObject({ status, body: { code } });
    expect(await lastSequence(world.store, 0)).toBe(before);
  });

  it("a path out of the workspace", async () => {
    const session = await world.createSession({ kind: "setup" });
    const args = { commands: [{ name: "a", command: "b", cwd: "../../etc" }] };
    expect(await gateway.call({ session, tool: "save_service_commands", args })).toMatchObject({
      status: 422,
      body: { code: "tool_args_invalid", fields: { issues: [{ path: "commands.0.cwd" }] } },
    });
  });
});

describe("one call id", () => {
  it("gets one answer, also from a gateway that was started later, and is carried out once", async () => {
    const session = await world.createSession({ kind: "setup" });
    const call = { session, tool: "save_service_commands", args: { commands } };
    const first = await gateway.call(call);
    expect(first).toMatchObject({
      status: 200,
      body: { success: true, data: { commandCount: 1 } },
    });
    const before = await lastSequence(world.store, 0);
    const saveServiceCommands = vi.fn();
    const later = await world.gateway({ handlers: { save_service_commands: saveServiceCommands } });
    expect(await later.call(call)).toEqual(first);
    expect(saveServiceCommands).not.toHaveBeenCalled();
    expect(await lastSequence(world.store, 0)).toBe(before);
    expect((await stateOf(session)).serviceCommands).toEqual(commands);
  });

  it("is refused with other arguments", async () => {
    const session = await world.createSession({ kind: "setup" });
    const call = { session, tool: "save_service_commands", args: { commands } };
    await gateway.call(call);
    const other = { commands: [{ name: "db", command: "true" }] };
    expect(await gateway.call({ ...call, args: other })).toMatchObject({
      status: 409,
      body: { code: "idempotency_key_reused" },
    });
  });

  it("waits for the gateway that is at it", async () => {
    const session = await world.createSession();
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const slow = await world.gateway({
      handlers: {
        save_snapshot: async () => {
          await finished;
          return { success: true, result: "from the first" };
        },
      },
    });
    const second = await world.gateway({
      handlers: { save_snapshot: () => Promise.resolve({ success: true, result: "twice" }) },
    });
    const call = { session, tool: "save_snapshot" };
    const one = slow.call(call);
    await vi.waitUntil(() => isReceived(session, "call-1"), { timeout: 30_000 });
    const other = second.call(call);
    finish();
    const expected = { status: 200, body: { success: true, result: "from the first" } };
    expect(await one).toEqual(expected);
    expect(await other).toEqual(expected);
  });

  it("is taken up again when the gateway that was at it has failed or died", async () => {
    const session = await world.createSession();
    const failing = await world.gateway({
      handlers: { save_snapshot: () => Promise.reject(new Error("the database is away")) },
    });
    const keys: string[] = [];
    const healthy = await world.gateway({
      handlers: {
        save_snapshot: (_deps, { key }) => {
          keys.push(key);
          return Promise.resolve({ success: true, result: "saved" });
        },
      },
    });
    const call = { session, tool: "save_snapshot" };
    expect(await failing.call(call)).toMatchObject({ status: 500, body: { code: "internal" } });
    expect(await healthy.call(call)).toMatchObject({ status: 200, body: { result: "saved" } });
    expect(await failing.call(call)).toMatchObject({ status: 200, body: { result: "saved" } });
    expect(keys).toHaveLength(1);
  });
});

it("holds a session to the quota of each tool, whichever gateway is asked, until time has passed", async () => {
  const session = await world.createSession();
  const second = await world.gateway();
  const args = { keys: [{ key: "TOKEN" }] };
  const ask = (n: number) =>
    (n % 2 === 0 ? gateway : second).call({
      session,
      tool: "request_env_variables",
      id: `c${n}`,
      args,
    });
  for (let n = 0; n < 20; n += 1) expect((await ask(n)).status).toBe(200);
  expect(await ask(20)).toMatchObject({
    status: 429,
    body: { code: "tool_quota_exceeded", fields: { limit: 20 } },
  });
  // One that was let through before is none of it.
  expect((await ask(3)).status).toBe(200);
  world.moveClock(60 * 60_000);
  expect((await ask(20)).status).toBe(200);
});

it("tells those who watch which variables the agent asks for, and keeps it", async () => {
  const session = await world.createSession();
  const keys = [{ key: "DATABASE_URL", type: "secret", description: "of the tests" }];
  const reply = await gateway.call({ session, tool: "request_env_variables", args: { keys } });
  expect(reply).toMatchObject({ status: 200, body: { success: true } });
  const watching = new AbortController();
  const feed = openLiveFeed(world.store, {
    organization: world.organization,
    session,
    signal: watching.signal,
  });
  const first = await feed.next();
  watching.abort();
  await feed.return(undefined);
  expect(first).toMatchObject({
    value: {
      message: { type: "env_variables_requested", keys: [{ key: "DATABASE_URL", required: true }] },
    },
  });
});

describe("automation.complete", () => {
  const open = async () => {
    const runId = newId("run");
    const run = { organization: world.organization, id: runId };
    const trigger = { triggerId: newId("trigger"), dedupKey: "d", title: "t", prompt: "p" };
    await matchTrigger(world.store, run, { ...trigger, repository: null, session: null }, meta());
    const session = await world.createSession({ origin: { kind: "automation", runId } });
    return { runId, session };
  };

  it("records the result of the run, by either of its names, once for each completion id", async () => {
    const { runId, session } = await open();
    const args = { run_id: runId, completion_id: "c-1", outcome: "succeeded" };
    const first = await gateway.call({ session, tool: "automation.complete", args });
    expect(first).toMatchObject({ status: 200, body: { success: true } });
    const again = await gateway.call({ session, tool: "automation_complete", id: "call-2", args });
    expect(again).toMatchObject({ status: 200, body: { success: true } });
    const other = { ...args, completion_id: "c-2", outcome: "failed" };
    expect(
      await gateway.call({ session, tool: "automation_complete", id: "call-3", args: other }),
    ).toMatchObject({
      status: 200,
      body: { success: false, result: expect.stringContaining("run_already_completed") as unknown },
    });
  });

  it("is refused for another run", async () => {
    const [one, other] = [await open(), await open()];
    const args = { run_id: other.runId, completion_id: "c-1", outcome: "succeeded" };
    expect(
      await gateway.call({ session: one.session, tool: "automation_complete", args }),
    ).toMatchObject({ status: 200, body: { success: false } });
  });
});

describe("save_snapshot", () => {
  const owned = async () => {
    const session = await world.createSession();
    const key = { organization: world.organization, id: session };
    const command = { type: "AcquireOwnership", instance: "runner", epoch: 1 } as const;
    await execute(world.store, sessionAggregate, key, command, meta());
    return { session, key };
  };
  const requestOf = (session: SessionId) =>
    vi.waitUntil(async () => (await stateOf(session)).snapshotRequests[0], { timeout: 30_000 });

  it("waits for the session's owner, and answers a later attempt from the log", async () => {
    const { session, key } = await owned();
    const call = { session, tool: "save_snapshot", args: { message: "all green" } };
    const waiting = gateway.call(call);
    const { requestId, message } = await requestOf(session);
    expect(message).toBe("all green");
    const taken = {
      type: "ReportSnapshotTaken",
      epoch: 1,
      requestId,
      snapshotId: "snap-1",
    } as const;
    await execute(world.store, sessionAggregate, key, taken, meta());
    const expected = { status: 200, body: { success: true, data: { snapshotId: "snap-1" } } };
    expect(await waiting).toMatchObject(expected);
    // The sandbox was frozen while the answer came: it asks again, and some other gateway answers.
    expect(await (await world.gateway()).call(call)).toMatchObject(expected);
    expect((await stateOf(session)).snapshots).toHaveLength(1);
  });

  it("tells the agent why there is none", async () => {
    const { session, key } = await owned();
    const waiting = gateway.call({ session, tool: "save_snapshot" });
    const { requestId } = await requestOf(session);
    const failure = { code: "snapshot_failed", message: "The disk is full." };
    const failed = { type: "ReportSnapshotFailed", epoch: 1, requestId, failure } as const;
    await execute(world.store, sessionAggregate, key, failed, meta());
    expect(await waiting).toMatchObject({
      status: 200,
      body: { success: false, result: "No snapshot: The disk is full." },
    });
  });
});
