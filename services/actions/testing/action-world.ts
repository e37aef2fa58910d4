/** An {@link ActionStack} with every worker running, and words for what agents and approvers do in it. */
import { expect, vi } from "vitest";
import { approveInvocation, invokeAction } from "#contracts/http/actions";
import { type InvocationId, newId, type OrganizationId, type SessionId } from "#contracts/ids";
import { lastSequence } from "#event-store/reading/commit-feed";
import { startTimerWorker } from "#event-store/timers/timers";
import type { Worker } from "#event-store/workers/worker";
import type { RouteHandler, RouteReply } from "../../gateway/routes/handle-route.ts";
import type { Principal } from "../../gateway/authentication/principal.ts";
import { policyRoutes } from "../../policy/routes.ts";
import { createKeepFullResult } from "../full-results/keep.ts";
import { findInvocation } from "../invocation/invocation-log.ts";
import { actionRoutes } from "../routes.ts";
import { actionTimerHandlers, startActionWorkers } from "../workers.ts";
import { type ActionStack, startActionStack } from "./action-stack.ts";
import { callHandler } from "./call-handler.ts";

/** How long a test waits for what must come. */
export const patience = { timeout: 30_000, interval: 20 };

type PrincipalOf<K extends Principal["kind"]> = Extract<Principal, { kind: K }>;

/** What an agent asks for; to publish a release, unless told. */
export interface Asked {
  readonly integration?: string;
  readonly action?: string;
  readonly params?: Record<string, unknown>;
  readonly idempotencyKey?: string;
}

export interface ActionWorld {
  readonly stack: ActionStack;
  readonly handlers: readonly RouteHandler[];
  sandbox(session: SessionId): PrincipalOf<"sandbox">;
  admin(organization?: OrganizationId): PrincipalOf<"user">;
  invoke(session: SessionId, asked: Asked): Promise<RouteReply<typeof invokeAction>>;
  approve(
    session: SessionId,
    id: InvocationId,
    scope?: "once" | "always",
    principal?: PrincipalOf<"user">,
  ): Promise<RouteReply<typeof approveInvocation>>;
  /** A version that nobody has published. */
  nextVersion(): string;
  /** How often the outside world has seen this version. */
  published(version: string): number;
  statusOf(id: InvocationId): Promise<string | undefined>;
  /** Waits until the invocation has this status. */
  reaches(id: InvocationId, status: string): Promise<void>;
  /** How many commits the log holds. */
  commits(): Promise<number>;
  close(): Promise<void>;
}

export const startActionWorld = async (): Promise<ActionWorld> => {
  const stack = await startActionStack();
  const { store, sql, log, deps, fullResults, organization } = stack;
  const namesOf = () => Promise.resolve(new Map<string, string>()); // There are no people here.
  const handlers = [
    ...actionRoutes({ ...deps, sql, fullResults, log }),
    ...policyRoutes({ ...deps, namesOf }),
  ];
  const { registry, clock } = deps;
  const keepFullResult = createKeepFullResult({ store, table: fullResults, clock, log });
  const workers: Worker[] = [];
  // Two of everything, as in a deployment: whatever happens here happens once all the same.
  for (const instance of ["one", "two"]) {
    workers.push(await startActionWorkers(store, { registry, keepFullResult, instance, log }));
  }
  const timerHandlers = actionTimerHandlers(store, fullResults);
  workers.push(await startTimerWorker(store, { handlers: timerHandlers, log }));

  const sandbox: ActionWorld["sandbox"] = (sessionId) => ({
    kind: "sandbox",
    sessionId,
    organizationId: organization,
  });
  const admin: ActionWorld["admin"] = (organizationId = organization) => ({
    kind: "user",
    userId: newId("user"),
    organizationId,
    role: "admin",
  });
  const statusOf: ActionWorld["statusOf"] = async (id) =>
    (await findInvocation(store, { organization, id }))?.state.status;
  let versions = 0;
  return {
    stack,
    handlers,
    sandbox,
    admin,
    invoke: (
      sessionId,
      { integration = "demo", action = "publish_release", params = {}, idempotencyKey },
    ) =>
      callHandler(handlers, invokeAction, {
        params: { sessionId },
        principal: sandbox(sessionId),
        body: { integration, action, params, idempotencyKey },
      }),
    approve: (sessionId, invocationId, scope = "once", principal = admin()) =>
      callHandler(handlers, approveInvocation, {
        params: { sessionId, invocationId },
        principal,
        body: { scope },
      }),
    nextVersion: () => `1.0.${(versions += 1)}`,
    published: (version) =>
      stack.demo.releases.filter((release) => release.version === version).length,
    statusOf,
    reaches: (id, status) =>
      vi.waitFor(async () => expect(await statusOf(id)).toBe(status), patience),
    commits: () => lastSequence(store, 0),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await stack.close();
    },
  };
};
