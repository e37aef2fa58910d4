/**
 * Test support: an action stack whose one action answers whatever a test wants, executed when the test says
 * so. Log, database and timers are real; only the outside world is a stand-in.
 */
import { getFullResult } from "#contracts/http/actions";
import { setFullResultKeeping } from "#contracts/http/policy";
import { type SessionId, type UserId, newId } from "#contracts/ids";
import type { CommandMeta } from "#event-store/command-meta";
import { newCommandMeta } from "#event-store/command-meta";
import { openLeases } from "#event-store/leases/leases";
import type { RouteReply } from "../../../gateway/routes/handle-route.ts";
import { policyRoutes } from "../../../policy/routes.ts";
import { invokeAction } from "../../commands.ts";
import { executeInvocation, type ExecutionDeps } from "../../execution/execution.ts";
import { findInvocation, type InvocationKey } from "../../invocation/invocation-log.ts";
import type { ActionRegistry } from "../../sources/registry.ts";
import { actionRoutes } from "../../routes.ts";
import type { KnownInvocation } from "../../invocation/state.ts";
import { type ActionStack, startActionStack } from "../../testing/action-stack.ts";
import { callHandler } from "../../testing/call-handler.ts";
import { createKeepFullResult, type KeepFullResultDeps } from "../keep.ts";

export interface FullResultWorld {
  readonly stack: ActionStack;
  /** Who turns things on, and reads. */
  readonly admin: UserId;
  /** Says whether the organisation keeps full results. */
  setKeeping(keep: boolean): Promise<void>;
  /** An invocation of the action that is approved and not executed yet. */
  approved(session: SessionId): Promise<InvocationKey>;
  /** Executes it, with this as what comes of it. */
  execute(
    key: InvocationKey,
    result: unknown,
    change?: { readonly keep?: Partial<KeepFullResultDeps>; readonly newMeta?: () => CommandMeta },
  ): Promise<void>;
  /** Both. */
  executed(session: SessionId, result: unknown): Promise<InvocationKey>;
  stateOf(key: InvocationKey): Promise<KnownInvocation | undefined>;
  read(session: SessionId, key: InvocationKey): Promise<RouteReply<typeof getFullResult>>;
  /** What is stored of its results: attempts and sealed bytes. */
  rowsOf(key: InvocationKey): Promise<readonly { attempt: number; sealed: Buffer }[]>;
  close(): Promise<void>;
}

const newMeta = (): CommandMeta =>
  newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });

const answering = (result: unknown): ActionRegistry => ({
  sourcesOf: () =>
    Promise.resolve([
      {
        id: "reports",
        name: "Reports",
        guide: () => Promise.resolve(""),
        list: () => Promise.resolve([report]),
        execute: () => Promise.resolve(result),
      },
    ]),
});
const report = {
  id: "read",
  description: "Reads a report",
  risk: "read",
  params: { type: "object" },
} as const;

export const startFullResultWorld = async (): Promise<FullResultWorld> => {
  const stack = await startActionStack();
  const { store, sql, log, fullResults, organization } = stack;
  const deps = { ...stack.deps, registry: answering(null) };
  const leases = await openLeases(store, "runtime");
  const namesOf = () => Promise.resolve(new Map<string, string>()); // There are no people here.
  const handlers = [
    ...actionRoutes({ ...deps, sql, fullResults, log }),
    ...policyRoutes({ ...deps, namesOf }),
  ];
  const admin = newId("user");
  const principal = {
    kind: "user",
    userId: admin,
    organizationId: organization,
    role: "admin",
  } as const;

  const approved: FullResultWorld["approved"] = async (sessionId) => {
    const asked = { integration: "reports", action: "read", params: {}, idempotencyKey: undefined };
    const { id } = await invokeAction(deps, { organization, sessionId, ...asked }, newMeta());
    return { organization, id };
  };
  const execute: FullResultWorld["execute"] = async (key, result, change = {}) => {
    const { clock } = stack.deps;
    const execution: ExecutionDeps = {
      store,
      registry: answering(result),
      leases,
      keepFullResult: createKeepFullResult({
        store,
        table: fullResults,
        clock,
        log,
        ...change.keep,
      }),
      instance: "test",
      timeoutMs: 30_000,
      stopping: new AbortController().signal,
      newMeta: change.newMeta ?? newMeta,
      log,
    };
    await executeInvocation(execution, key);
  };
  return {
    stack,
    admin,
    setKeeping: async (keep) => {
      await callHandler(handlers, setFullResultKeeping, { principal, body: { keep } });
    },
    approved,
    execute,
    executed: async (session, result) => {
      const key = await approved(session);
      await execute(key, result);
      return key;
    },
    stateOf: async (key) => (await findInvocation(store, key))?.state,
    read: (sessionId, { id: invocationId }) =>
      callHandler(handlers, getFullResult, { params: { sessionId, invocationId }, principal }),
    rowsOf: ({ id }) => sql`
      select attempt, sealed from vault.full_results where invocation_id = ${id}`,
    close: stack.close,
  };
};
