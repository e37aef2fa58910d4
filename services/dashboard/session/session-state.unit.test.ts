import { describe, expect, it } from "vitest";
import type { InvocationView } from "#contracts/invocation/view";
import type { LiveMessage, ServerFrame } from "#contracts/live/messages";
import { newId } from "#contracts/ids";
import type { Message } from "#contracts/transcript/message";
import type { MessageView } from "#contracts/transcript/view";
import {
  type SessionAction,
  type SessionState,
  initialSessionState,
  sessionReducer,
} from "./session-state.ts";

const after = (...actions: readonly SessionAction[]): SessionState =>
  actions.reduce(sessionReducer, initialSessionState);

const frame = (received: ServerFrame): SessionAction => ({
  type: "frame_received",
  frame: received,
});
const live = (message: LiveMessage): SessionAction => frame({ type: "live", seq: 1, message });
const init = (
  messages: readonly MessageView[],
  rest: Partial<Extract<ServerFrame, { type: "init" }>> = {},
) =>
  frame({
    type: "init",
    seq: 0,
    messages: [...messages],
    streaming: [],
    status: "running",
    ...rest,
  });

const said = (role: Message["role"], id: string, text: string): MessageView => ({
  id,
  role,
  promptId: null,
  parts: [{ kind: "text", id: `${id}-text`, text }],
  finish: null,
  failure: null,
  usage: null,
  cost: null,
  filesChanged: null,
  index: 0,
  at: "2030-01-01T00:00:00.000Z",
});
const token = (delta: string): SessionAction =>
  live({ type: "token", kind: "text", messageId: "m1", partId: "p1", delta });

const promptId = newId("prompt");
const sent: SessionAction = { type: "prompt_sent", promptId, text: "Fix it" };
const finished = (outcome: "completed" | "cancelled"): SessionAction =>
  live({ type: "prompt_finished", promptId, outcome, failure: null });

describe("an answer", () => {
  it("streams token by token and is then replaced by the whole message", () => {
    const streaming = after(init([]), token("Hel"), token("lo"));
    expect(streaming.streaming).toEqual([
      { id: "m1", parts: [{ kind: "text", id: "p1", text: "Hello" }] },
    ]);

    const whole = sessionReducer(
      streaming,
      live({ type: "message", message: said("assistant", "m1", "Hello.") }),
    );
    expect(whole.streaming).toEqual([]);
    expect(whole.messages.map(({ id }) => id)).toEqual(["m1"]);
  });

  it("that is recorded again stays where it stood", () => {
    const { messages } = after(
      init([said("user", "u1", "?"), said("assistant", "m1", "old"), said("user", "u2", "?")]),
      live({ type: "message", message: said("assistant", "m1", "new") }),
    );
    expect(
      messages.map(({ id, parts }) => [id, parts[0]?.kind === "text" && parts[0].text]),
    ).toEqual([
      ["u1", "?"],
      ["m1", "new"],
      ["u2", "?"],
    ]);
  });

  it("shows that the agent tries again only until the agent goes on", () => {
    const retrying = after(init([]), live({ type: "retrying", attempt: 2, detail: "overloaded" }));
    expect(retrying.retrying).toEqual({ attempt: 2, detail: "overloaded" });
    expect(sessionReducer(retrying, token("Hi")).retrying).toBeNull();
  });
});

describe("a connection that begins anew", () => {
  it("replaces what was shown, and keeps the prompts that the transcript does not have", () => {
    const other = newId("prompt");
    const state = after(
      init([said("user", "u1", "?")]),
      token("half an ans"),
      sent,
      { type: "prompt_sent", promptId: other, text: "And then?" },
      init([
        said("user", "u1", "?"),
        said("assistant", "m1", "an answer"),
        said("user", promptId, "Fix it"),
      ]),
    );
    expect(state.streaming).toEqual([]);
    expect(state.messages.map(({ id }) => id)).toEqual(["u1", "m1", promptId]);
    expect(state.queued).toEqual([{ promptId: other, text: "And then?", waits: false }]);
  });

  it("may have missed that the agent asks for values, unlike one that goes on", () => {
    const keys = [{ key: "TOKEN", type: "secret", required: true } as const];
    const asked = live({ type: "env_variables_requested", requestId: "one", keys });
    const told = (...actions: readonly SessionAction[]) => after(...actions).envRequestsTold;
    expect(told(init([]), asked)).toBe(2);
    expect(told(init([]), frame({ type: "resumed", seq: 1 }))).toBe(1);
    expect(told(init([]), init([]))).toBe(2);
  });

  it("is not undone by a transcript that was asked for earlier", () => {
    const fromReadModel: SessionAction = {
      type: "transcript_loaded",
      messages: [said("user", "u1", "?")],
    };
    expect(after(fromReadModel).messages).toHaveLength(1);
    expect(after(init([]), fromReadModel).messages).toEqual([]);
  });
});

describe("a prompt that was sent", () => {
  it("waits until the transcript has it", () => {
    expect(after(init([]), sent).queued).toEqual([{ promptId, text: "Fix it", waits: false }]);
    const begun = after(
      init([]),
      sent,
      live({ type: "message", message: said("user", promptId, "Fix it") }),
    );
    expect(begun.queued).toEqual([]);
  });

  it("does not wait when the live channel was quicker than the answer of the request", () => {
    const state = after(
      init([]),
      live({ type: "message", message: said("user", promptId, "Fix it") }),
      sent,
    );
    expect(state.queued).toEqual([]);
    expect(state.messages).toHaveLength(1);
  });

  it("waits no more when the read model knows of no open prompt: it was dropped before its turn", () => {
    const read = (openPrompts: number): SessionAction => ({ type: "session_read", openPrompts });
    expect(after(init([]), sent, read(1)).queued).toHaveLength(1);
    expect(after(init([]), sent, read(1), read(0)).queued).toEqual([]);
  });

  it("waits as the queue says, which knows everybody's and what became of them", () => {
    const theirs = newId("prompt");
    const read = (text: string, status: "queued" | "cancelling"): SessionAction => ({
      type: "prompts_read",
      prompts: [
        { promptId, text: "Fix it", by: "u1", status: "started" },
        { promptId: theirs, text, by: "u2", status },
      ],
    });
    const state = after(init([said("user", promptId, "Fix it")]), read("And tests", "queued"));
    expect(state.queued).toEqual([{ promptId: theirs, text: "And tests", waits: true }]);
    expect(sessionReducer(state, read("And a test", "queued")).queued[0]?.text).toBe("And a test");
    expect(sessionReducer(state, read("And tests", "cancelling")).queued).toEqual([]);
  });

  it("waits no more when it was cancelled, and the next prompt takes the word of that away", () => {
    const cancelled = after(init([]), sent, finished("cancelled"));
    expect(cancelled.queued).toEqual([]);
    expect(cancelled.ended?.outcome).toBe("cancelled");
    const next: SessionAction = { type: "prompt_sent", promptId: newId("prompt"), text: "Again" };
    expect(sessionReducer(cancelled, next).ended).toBeNull();
  });

  it("of somebody else takes away the word of how the last one ended, too", () => {
    const failed = after(init([]), finished("cancelled"));
    const theirs = live({ type: "message", message: said("user", newId("prompt"), "Mine") });
    expect(sessionReducer(failed, theirs).ended).toBeNull();
  });
});

describe("a boot", () => {
  const done = { phase: "essential", outcome: "done", detail: null } as const;
  const stage = (name: string, ms: number) =>
    live({ type: "boot_stage", stage: name, ms, ...done });
  const status = (to: "starting" | "running" | "paused") =>
    live({ type: "status", status: to, detail: null });

  it("lists its stages, and the next boot begins without them", () => {
    const booted = after(
      init([], { status: "pending" }),
      status("starting"),
      stage("clone", 900),
      stage("ready", 80),
    );
    expect(booted.bootStages).toEqual([
      { stage: "clone", ms: 900, ...done },
      { stage: "ready", ms: 80, ...done },
    ]);
    const running = sessionReducer(booted, status("running"));
    expect(running.bootStages).toHaveLength(2);
    expect(
      [status("paused"), status("starting")].reduce(sessionReducer, running).bootStages,
    ).toEqual([]);
  });
});

describe("an invocation", () => {
  const invocationId = newId("invocation");
  const requested = live({
    type: "action_approval_request",
    invocationId,
    integration: "demo",
    action: "publish_release",
    params: { version: "1.2.3" },
    expiresAt: null,
  });
  const row = (status: InvocationView["status"]): InvocationView => ({
    id: invocationId,
    sessionId: newId("session"),
    integration: "demo",
    action: "publish_release",
    params: { version: "1.2.3" },
    risk: "write",
    mode: "require_approval",
    modeSource: "inferred",
    ruleId: null,
    drifted: false,
    editedParams: null,
    status,
    resolvedBy: null,
    reason: null,
    result: null,
    fullResult: null,
    failure: null,
    expiresAt: null,
    createdAt: "2030-01-01T00:00:00.000Z",
    updatedAt: "2030-01-01T00:00:00.000Z",
  });
  const loaded = (status: InvocationView["status"]): SessionAction => ({
    type: "invocations_loaded",
    invocations: [row(status)],
  });
  const updated = (status: InvocationView["status"]) =>
    live({ type: "action_updated", invocationId, status });
  const statuses = (...actions: readonly SessionAction[]) =>
    after(init([]), ...actions).invocations.map(({ status }) => status);

  it("is known once, however often and wherever from it is told", () => {
    expect(statuses(requested, requested, loaded("pending"))).toEqual(["pending"]);
    expect(statuses(loaded("pending"), requested)).toEqual(["pending"]);
  });

  it("never goes back to an earlier status when the read model is behind", () => {
    expect(statuses(requested, updated("approved"), loaded("pending"))).toEqual(["approved"]);
    expect(statuses(loaded("completed"), updated("executing"))).toEqual(["completed"]);
    expect(statuses(requested, updated("approved"), loaded("completed"))).toEqual(["completed"]);
  });
});
