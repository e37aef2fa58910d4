import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { startTestProcess, type TestProcess } from "#event-store/testing/child-process";
import { approveInvocation, invokeAction } from "../commands.ts";
import { findInvocation, type InvocationKey } from "../invocation/invocation-log.ts";
import { type ActionStack, startActionStack } from "../testing/action-stack.ts";
import { patience } from "../testing/action-world.ts";

let stack: ActionStack;
let sessionId: SessionId;
beforeAll(async () => {
  stack = await startActionStack();
  sessionId = await stack.createSession();
});
afterAll(() => stack.close());

const newMeta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });

const approved = async (): Promise<InvocationKey> => {
  const { organization, deps } = stack;
  const asked = {
    organization,
    sessionId,
    integration: "demo",
    action: "publish_release",
    params: { version: "3.0.0" },
    idempotencyKey: undefined,
  };
  const { id } = await invokeAction(deps, asked, newMeta());
  const by = newId("user");
  const once = { organization, sessionId, id, by, scope: "once", editedParams: null } as const;
  await approveInvocation(deps, once, newMeta());
  return { organization, id };
};

const startExecutor = (
  { organization, id }: InvocationKey,
  kind: "idempotent" | "plain",
  course: "hang" | "finish",
): Promise<TestProcess> => {
  const program = new URL("../testing/executor-process.ts", import.meta.url);
  const { natsUrl, durability } = stack;
  return startTestProcess(program, [natsUrl, durability, organization, id, kind, course]);
};

it.each([
  { kind: "plain", again: ["done"], outcome: { status: "outcome_unknown" } },
  {
    kind: "idempotent",
    again: ["began", "done"],
    outcome: { status: "completed", result: { published: true } },
  },
] as const)(
  "a $kind action whose executor is killed in the middle of it ends as it must",
  async ({ kind, again, outcome }) => {
    const key = await approved();
    const killed = await startExecutor(key, kind, "hang");
    try {
      await vi.waitFor(() => expect(killed.lines).toEqual(["began"]), patience);
    } finally {
      await killed.kill();
    }
    const next = await startExecutor(key, kind, "finish");
    try {
      await vi.waitFor(() => expect(next.lines).toContain("done"), patience);
      expect(next.lines).toEqual(again);
      expect((await findInvocation(stack.store, key))?.state).toMatchObject(outcome);
    } finally {
      await next.kill();
    }
  },
);
