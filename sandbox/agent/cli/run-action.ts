/** `actions run`: asks for an action and waits with the agent until it has run or will not. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { getInvocation, invokeAction } from "#contracts/http/actions";
import { finalInvocationStatuses, type InvocationStatus } from "#contracts/invocation/status";
import type { InvocationView } from "#contracts/invocation/view";
import { CommandFailed, exitCodes } from "./exit-codes.ts";
import type { Gateway } from "./gateway.ts";

export interface RunAction {
  readonly integration: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Null: wait for as long as it takes. */
  readonly timeoutSeconds: number | null;
  readonly wait: boolean;
}

export interface Console {
  /** A result, as JSON. */
  readonly out: (value: unknown) => void;
  readonly text: (text: string) => void;
  /** What is not the result, on stderr. */
  readonly say: (line: string) => void;
}

const firstPauseMs = 250;
const longestPauseMs = 2_000;
const invoked = invokeAction.responses[200];
const view = getInvocation.responses[200];

/** @throws CommandFailed unless the action has run (or is not waited for) */
export const runAction = async (
  gateway: Gateway,
  run: RunAction,
  console: Console,
): Promise<void> => {
  const { integration, action, params } = run;
  // One key for all tries of this call, so a lost answer does not run the action twice.
  const body = { integration, action, params, idempotencyKey: randomUUID() };
  const answer = await gateway({ method: "POST", path: "/actions/invoke", body }, invoked);
  if (answer.invocation.status === "completed") {
    console.out(answer.result ?? null);
    return;
  }
  const { id, status } = answer.invocation;
  if (!run.wait && !isFinal(status)) {
    console.say(`${action} was asked for and is ${status}; not waiting.`);
    console.out({ invocation: { id, status } });
    return;
  }
  if (status === "pending")
    console.say(`${action} needs a person's approval (${id}); waiting for it.`);
  const path = `/actions/invocations/${id}?after=${encodeURIComponent(answer.position)}`;
  finish(await waitForEnd(() => gateway({ method: "GET", path }, view), run), console);
};

const waitForEnd = async (
  read: () => Promise<InvocationView>,
  run: RunAction,
): Promise<InvocationView> => {
  const limit = run.timeoutSeconds === null ? Infinity : run.timeoutSeconds * 1000;
  const startedAt = performance.now();
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
    const invocation = await read();
    if (isFinal(invocation.status)) return invocation;
    const left = limit - (performance.now() - startedAt);
    if (left <= 0) {
      const what = `${run.action} is still ${invocation.status} after ${run.timeoutSeconds} s; it was not taken back.`;
      throw new CommandFailed(exitCodes.timeout, what);
    }
    await delay(Math.min(pause, left));
  }
};

const finish = (invocation: InvocationView, console: Console): void => {
  const { action, status, reason, resolvedBy } = invocation;
  const because = reason ? `: ${reason}` : ".";
  switch (status) {
    case "completed":
      console.out(invocation.result ?? null);
      return;
    case "denied":
      throw new CommandFailed(
        exitCodes.denied,
        `${action} was denied${resolvedBy ? ` by ${resolvedBy}` : ""}${because}`,
      );
    case "expired":
      throw new CommandFailed(exitCodes.expired, `${action} expired: nobody approved it in time.`);
    case "failed":
      throw new CommandFailed(
        exitCodes.failed,
        `${action} failed: ${invocation.failure?.message ?? "no reason given"}`,
      );
    default:
      throw new CommandFailed(
        exitCodes.outcomeUnknown,
        `Whether ${action} has happened is not known; do not repeat it, ask a person.`,
      );
  }
};

const isFinal = (status: InvocationStatus): boolean => finalInvocationStatuses.includes(status);

const paramsSchema = z.record(z.string(), z.unknown());

/** @throws CommandFailed if it is not a JSON object */
export const parseParams = (text: string): Record<string, unknown> => {
  try {
    return paramsSchema.parse(JSON.parse(text));
  } catch {
    throw new CommandFailed(
      exitCodes.usage,
      `--params has to be a JSON object, e.g. '{"version":"1.0.0"}'.`,
    );
  }
};
