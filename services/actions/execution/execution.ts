/**
 * Carries out an approved invocation, at most once, or more often only if its action says that this
 * changes nothing.
 *
 * A lease says who is at it, and `ExecutionStarted` is appended before the deed. Whoever holds the
 * lease and finds the invocation executing knows that an earlier attempt died in the middle: whether
 * the action took effect is then unknown, and it is recorded as just that. Only an action that declares
 * itself idempotent is tried again, a few times.
 */
import { isDomainError } from "#contracts/errors";
import type { InvocationCommand } from "#contracts/invocation/commands";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import type { Lease, Leases } from "#event-store/leases/leases";
import type { Log } from "#event-store/log";
import { inSpan, type SpanOptions, type Traceparent } from "#event-store/tracing/tracing";
import { unlessAborted } from "../../unless-aborted.ts";
import type { KeepFullResult } from "../full-results/keep.ts";
import {
  executeOnInvocation,
  findInvocation,
  type InvocationKey,
} from "../invocation/invocation-log.ts";
import { completed, failed, type OutcomeCommand } from "./outcome.ts";
import { type ActionRegistry, requireAction, requireSource } from "../sources/registry.ts";
import type { InvocationRequest, KnownInvocation } from "../invocation/state.ts";

export interface ExecutionDeps {
  readonly store: EventStore;
  readonly registry: ActionRegistry;
  readonly leases: Leases;
  readonly keepFullResult: KeepFullResult;
  /** Names this process among the holders of leases. */
  readonly instance: string;
  /** How long an action may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts when the process is going away and can wait no longer. */
  readonly stopping: AbortSignal;
  /** The meta of a new command, in the name of what led here. */
  readonly newMeta: () => CommandMeta;
  /** What the execution is a part of. */
  readonly trace?: Traceparent | undefined;
  readonly log: Log;
}

/** `done`: nothing is left to do. `busy`: somebody else is at it; look again later. */
export type ExecutionOutcome = "done" | "busy";

export const executeInvocation = async (
  deps: ExecutionDeps,
  key: InvocationKey,
): Promise<ExecutionOutcome> => {
  const lease = await deps.leases.acquire(key.id, deps.instance);
  if (!lease) return "busy";
  try {
    return await executeUnderLease(deps, key, lease);
  } finally {
    await lease.release();
  }
};

const executeUnderLease = async (
  deps: ExecutionDeps,
  key: InvocationKey,
  lease: Lease,
): Promise<ExecutionOutcome> => {
  let found = await start(deps, key, "StartExecution");
  if (found === null) {
    const present = (await findInvocation(deps.store, key))?.state;
    if (present?.status !== "executing") return "done";
    // Whoever was at it has the lease no more, and has not finished in the meantime.
    if (present.attempt >= maxAttempts || !(await isIdempotent(deps, key, present))) {
      return record(deps, key, {
        type: "LoseOutcome",
        reason: "The process that executed the action died before it could say what came of it.",
      });
    }
    found = await start(deps, key, "RetryExecution");
    if (found === null) return "busy";
  }
  const { request, params, attempt } = found;
  const command = await perform(deps, key, { request: { ...request, params }, attempt, lease });
  // Without the lease somebody else judges the invocation; a word from here would contradict it.
  return lease.lost.aborted ? "busy" : record(deps, key, command);
};

/** How often an idempotent action is begun before its outcome counts as unknown. */
const maxAttempts = 3;

/** Whether the action says, as it is defined now, that doing it again changes nothing. */
const isIdempotent = async (
  { registry }: ExecutionDeps,
  { organization }: InvocationKey,
  { request }: KnownInvocation,
): Promise<boolean> => {
  try {
    const source = await requireSource(registry, organization, request.integration);
    return (await requireAction(source, request.action)).idempotent === true;
  } catch (error) {
    // Its source cannot be asked, or has it no more: nothing says that it may be done twice.
    if (isDomainError(error)) return false;
    throw error;
  }
};

type Executing = Extract<KnownInvocation, { status: "executing" }>;

/** The invocation, if this very attempt is the one that may act; else null. */
const start = async (
  { store, newMeta }: ExecutionDeps,
  key: InvocationKey,
  type: "StartExecution" | "RetryExecution",
): Promise<Executing | null> => {
  try {
    // A command id of its own: with a derived one, a second attempt would take the first one's
    // commit for its own.
    const { state } = await executeOnInvocation(store, key, { type }, newMeta());
    return state.status === "executing" ? state : null;
  } catch (error) {
    if (isDomainError(error, "invocation_already_resolved")) return null;
    throw error;
  }
};

const perform = async (
  deps: ExecutionDeps,
  { organization, id }: InvocationKey,
  {
    request,
    attempt,
    lease,
  }: {
    readonly request: InvocationRequest;
    readonly attempt: number;
    readonly lease: Lease;
  },
): Promise<OutcomeCommand> => {
  const { integration, action, params, sessionId, risk } = request;
  const span = spanOf({ organization, id }, request, { attempt, parent: deps.trace });
  const timeout = AbortSignal.timeout(deps.timeoutMs);
  const signal = AbortSignal.any([timeout, lease.lost, deps.stopping]);
  const startedAt = performance.now();
  try {
    const source = await requireSource(deps.registry, organization, integration);
    signal.throwIfAborted();
    // A source that does not heed its signal must not hold the executor.
    const result = await inSpan(deps.store.tracing, span, () =>
      unlessAborted(
        source.execute(action, params, {
          invocationId: id,
          sessionId,
          organizationId: organization,
          signal,
          idempotencyKey: id,
        }),
        signal,
      ),
    );
    const { command, whole } = completed(result, Math.round(performance.now() - startedAt));
    if (whole === null) return command;
    const fullResult = { organization, sessionId, id, attempt };
    return { ...command, fullResult: await deps.keepFullResult(fullResult, whole) };
  } catch (error) {
    deps.log.warn({ err: error, invocation: id, integration, action }, "an action did not succeed");
    const reason = timeout.aborted
      ? new Error(`The action gave no answer within ${deps.timeoutMs / 1000} s.`, { cause: error })
      : error;
    return failed(isDomainError(error) ? error : reason, risk);
  }
};

/** Of the deed itself, whose parameters and result are nobody's business there. */
const spanOf = (
  { organization, id }: InvocationKey,
  { integration, action, sessionId }: InvocationRequest,
  { attempt, parent }: { readonly attempt: number; readonly parent: Traceparent | undefined },
): SpanOptions => ({
  name: "execute action",
  kind: "client",
  parent,
  attributes: {
    "proliferate.organization": organization,
    "proliferate.session": sessionId,
    "proliferate.invocation": id,
    "proliferate.integration": integration,
    "proliferate.action": action,
    "proliferate.attempt": attempt,
  },
});

const record = async (
  { store, newMeta, log }: ExecutionDeps,
  key: InvocationKey,
  command: InvocationCommand,
): Promise<ExecutionOutcome> => {
  try {
    await executeOnInvocation(store, key, command, newMeta());
  } catch (error) {
    if (!isDomainError(error, "invocation_already_resolved")) throw error;
    // Somebody took us for dead and has recorded that; the log has the last word.
    log.warn(
      { invocation: key.id, command: command.type },
      "an outcome came too late to be recorded",
    );
  }
  return "done";
};
