/** Puts the sandbox of a session away because somebody asked for it, or because nobody uses it. */
import { setTimeout as delay } from "node:timers/promises";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import { failureOf, isStale } from "./bring-up.ts";
import type { OwnerContext } from "../owner-context.ts";
import { putAway } from "./put-away.ts";

/** How long after a failure the owner tries again, in milliseconds. */
const retryMs = 1_000;

export type PauseContext = Pick<OwnerContext, "command" | "epoch" | "session" | "tell"> & {
  readonly deps: Pick<OwnerContext["deps"], "provider" | "log">;
};

/** @throws what the provider throws: files that somebody wanted kept are not given up. */
export const pause = async (context: PauseContext, sandbox: SandboxRef): Promise<void> => {
  await putAway(context, sandbox);
  await context.command({ type: "ReportPaused", epoch: context.epoch });
  context.tell({ type: "status", status: "paused", detail: null });
};

/**
 * As `pause`; failures of the provider are counted in the log, so that it is known when to give up,
 * whoever owns the session by then.
 */
export const pauseIdle = async (
  context: PauseContext,
  sandbox: SandboxRef,
  signal: AbortSignal,
): Promise<void> => {
  const { command, epoch, deps, session } = context;
  try {
    await pause(context, sandbox);
  } catch (error) {
    if (isStale(error) || signal.aborted) throw error;
    deps.log.warn({ err: error, sessionId: session }, "an idle sandbox could not be put away");
    await command({ type: "ReportIdlePauseFailed", epoch, failure: failureOf(error) });
    await delay(retryMs, undefined, { signal });
  }
};

/** Ends a sandbox that nobody uses and that cannot be put away. Its last snapshot stays. */
export const endIdleSandbox = async (
  { command, epoch, tell, deps }: PauseContext,
  sandbox: SandboxRef,
): Promise<void> => {
  await deps.provider.terminate(sandbox);
  const failure = {
    code: "idle_sandbox_ended",
    message: "Nobody used the session and its sandbox could not be put away, so it was ended.",
  };
  await command({ type: "ReportIdleSandboxEnded", epoch, failure });
  tell({ type: "status", status: "failed", detail: failure.message });
};
