import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import { type CommandMeta, newCommandMeta } from "#event-store/command-meta";
import { type Leases, openLeases } from "#event-store/leases/leases";
import { approveInvocation, invokeAction } from "../commands.ts";
import { executeInvocation, type ExecutionDeps } from "./execution.ts";
import {
  executeOnInvocation,
  findInvocation,
  type InvocationKey,
} from "../invocation/invocation-log.ts";
import type { ActionRegistry } from "../sources/registry.ts";
import type { ActionSource } from "../sources/source.ts";
import { type ActionStack, startActionStack } from "../testing/action-stack.ts";

let stack: ActionStack;
let leases: Leases;
let sessionId: SessionId;

beforeAll(async () => {
  stack = await startActionStack();
  leases = await openLeases(stack.store, "runtime");
  sessionId = await stack.createSession();
});
afterAll(() => stack.close());

const newMeta = (): CommandMeta =>
  newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });

/** An executor that nobody calls but the test. */
const executor = (instance: string, change: Partial<ExecutionDeps> = {}): ExecutionDeps => ({
  store: stack.store,
  registry: stack.deps.registry,
  leases,
  keepFullResult: () => Promise.resolve(null),
  instance,
  timeoutMs: 30_000,
  stopping: new AbortController().signal,
  newMeta,
  log: stack.log,
  ...change,
});

let versions = 0;

/** An approved invocation that publishes a version of its own. */
const approved = async (): Promise<{ key: InvocationKey; version: string }> => {
  const { organization, deps } = stack;
  const version = `2.0.${(versions += 1)}`;
  const { id } = await invokeAction(
    deps,
    {
      organization,
      sessionId,
      integration: "demo",
      action: "publish_release",
      params: { version },
      idempotencyKey: undefined,
    },
    newMeta(),
  );
  const resolution = {
    organization,
    sessionId,
    id,
    by: newId("user"),
    scope: "once",
    editedParams: null,
  } as const;
  await approveInvocation(deps, resolution, newMeta());
  return { key: { organization, id }, version };
};

const published = (version: string): number =>
  stack.demo.releases.filter((release) => release.version === version).length;
const stateOf = async (key: InvocationKey) => (await findInvocation(stack.store, key))?.state;

/** The demo's source with another way to execute. */
const registryWith = (execute: ActionSource["execute"]): ActionRegistry => ({
  sourcesOf: async (organization) =>
    (await stack.deps.registry.sourcesOf(organization)).map((source) => ({ ...source, execute })),
});

it("executes once under two executors at once, and not again when it is delivered again", async () => {
  const { key, version } = await approved();
  const outcomes = await Promise.all([
    executeInvocation(executor("one"), key),
    executeInvocation(executor("two"), key),
  ]);
  expect(outcomes).toContain("done");
  expect(published(version)).toBe(1);
  expect(await executeInvocation(executor("three"), key)).toBe("done");
  expect(published(version)).toBe(1);
  expect(await stateOf(key)).toMatchObject({ status: "completed", result: { version } });
});

it("leaves alone what another executor is at", async () => {
  const { key, version } = await approved();
  const lease = await leases.acquire(key.id, "somebody else");
  expect(await executeInvocation(executor("one"), key)).toBe("busy");
  expect(await stateOf(key)).toMatchObject({ status: "approved" });
  await lease?.release();
  expect(await executeInvocation(executor("one"), key)).toBe("done");
  expect(published(version)).toBe(1);
});

it("never repeats what an executor that died had begun", async () => {
  const { key, version } = await approved();
  await executeOnInvocation(stack.store, key, { type: "StartExecution" }, newMeta());
  expect(await executeInvocation(executor("one"), key)).toBe("done");
  expect(await stateOf(key)).toMatchObject({ status: "outcome_unknown" });
  expect(published(version)).toBe(0);
});

it("begins an action anew that may be done twice, but not for ever", async () => {
  const idempotent: ActionRegistry = {
    sourcesOf: async (organization) =>
      (await stack.deps.registry.sourcesOf(organization)).map((source) => ({
        ...source,
        list: async () => (await source.list()).map((each) => ({ ...each, idempotent: true })),
      })),
  };
  const { key, version } = await approved();
  await executeOnInvocation(stack.store, key, { type: "StartExecution" }, newMeta());
  expect(await executeInvocation(executor("one", { registry: idempotent }), key)).toBe("done");
  expect(await stateOf(key)).toMatchObject({ status: "completed", result: { version } });
  expect(published(version)).toBe(1);

  const deadly = await approved();
  await executeOnInvocation(stack.store, deadly.key, { type: "StartExecution" }, newMeta());
  for (const _death of ["second", "third"]) {
    await executeOnInvocation(stack.store, deadly.key, { type: "RetryExecution" }, newMeta());
  }
  await executeInvocation(executor("one", { registry: idempotent }), deadly.key);
  expect(await stateOf(deadly.key)).toMatchObject({ status: "outcome_unknown" });
  expect(published(deadly.version)).toBe(0);
});

it("loses the outcome of a deed whose answer did not come in time", async () => {
  const { key } = await approved();
  let aborted = false;
  const registry = registryWith(
    (_action, _params, { signal }) =>
      new Promise(() => {
        signal.addEventListener("abort", () => (aborted = true));
      }),
  );
  expect(await executeInvocation(executor("one", { registry, timeoutMs: 50 }), key)).toBe("done");
  expect(await stateOf(key)).toMatchObject({
    status: "outcome_unknown",
    reason: "The action gave no answer within 0.05 s.",
  });
  expect(aborted).toBe(true);
});

it("says so when it is stopped in the middle", async () => {
  const { key } = await approved();
  const stopping = new AbortController();
  const executing = vi.fn<ActionSource["execute"]>(() => new Promise(() => undefined));
  const deps = executor("one", { registry: registryWith(executing), stopping: stopping.signal });
  const outcome = executeInvocation(deps, key);
  await vi.waitFor(() => expect(executing).toHaveBeenCalledOnce(), {
    timeout: 30_000,
    interval: 10,
  });
  stopping.abort();
  expect(await outcome).toBe("done");
  expect(await stateOf(key)).toMatchObject({ status: "outcome_unknown" });
});

it("does not contradict the one who took it for dead", async () => {
  const { key } = await approved();
  const registry = registryWith(async () => {
    await executeOnInvocation(
      stack.store,
      key,
      { type: "LoseOutcome", reason: "taken for dead" },
      newMeta(),
    );
    return { ok: true };
  });
  expect(await executeInvocation(executor("one", { registry }), key)).toBe("done");
  expect(await stateOf(key)).toMatchObject({ status: "outcome_unknown", reason: "taken for dead" });
});

it("fails when the integration is gone by then", async () => {
  const { key } = await approved();
  const registry: ActionRegistry = { sourcesOf: () => Promise.resolve([]) };
  expect(await executeInvocation(executor("one", { registry }), key)).toBe("done");
  expect(await stateOf(key)).toMatchObject({
    status: "failed",
    failure: { code: "integration_not_found" },
  });
});

it("stores results without secrets and within 10 KB", async () => {
  const { key } = await approved();
  const registry = registryWith(() =>
    Promise.resolve({ api_key: "sk-very-secret", lines: "x".repeat(50_000) }),
  );
  await executeInvocation(executor("one", { registry }), key);
  const state = await stateOf(key);
  expect(state).toMatchObject({
    status: "completed",
    truncated: true,
    result: { api_key: "[redacted]" },
  });
  expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThan(11_000);
});
