/** Waits until the agent's server answers. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { requestAgent, textOf } from "../opencode/http.ts";
import type { AgentEndpoint } from "./attach.ts";
import type { Program } from "./machine.ts";

const healthSchema = z.object({ healthy: z.literal(true) });

interface ReadinessLimits {
  readonly timeoutMs: number;
}

/** A cold start on a busy two-core machine took 5 s; the limit leaves room for a loaded one. */
const defaultReadinessLimits: ReadinessLimits = { timeoutMs: 60_000 };

/** In proportion to the time that has passed, so that a quick start is seen soon and a slow one costs little. */
const pauseAfter = (elapsedMs: number): number => Math.min(20 + elapsedMs / 20, 500);

export interface ReadinessProbe extends AgentEndpoint {
  readonly program: Program;
  readonly signal: AbortSignal;
  readonly limits?: ReadinessLimits;
}

/**
 * Asks again while earlier questions are still open: one that reaches the server while it opens its port may
 * never be answered.
 * @throws DomainError `sandbox_unavailable` when the server ended or did not answer in time
 */
export const waitUntilReady = async (probe: ReadinessProbe): Promise<void> => {
  const { timeoutMs } = probe.limits ?? defaultReadinessLimits;
  const startedAt = performance.now();
  const answered = new AbortController();
  const signal = AbortSignal.any([probe.signal, answered.signal]);
  try {
    for (;;) {
      probe.signal.throwIfAborted();
      void isHealthy(probe, signal).then((healthy) => {
        if (healthy) answered.abort();
      });
      const elapsed = performance.now() - startedAt;
      // An answer cuts the pause short.
      await delay(pauseAfter(elapsed), undefined, { signal }).catch(() => undefined);
      if (answered.signal.aborted) return;
      if (!(await probe.program.running()))
        throw unavailable("ended before it answered", await tail(probe));
      if (elapsed > timeoutMs) {
        throw unavailable(`did not answer within ${timeoutMs} ms`, await tail(probe));
      }
    }
  } finally {
    answered.abort();
  }
};

/** One question to the health endpoint. Another server on that port does not know our password. */
export const isHealthy = async (
  { baseUrl, authorization }: AgentEndpoint,
  signal?: AbortSignal,
): Promise<boolean> => {
  const limit = AbortSignal.timeout(5_000);
  try {
    const response = await requestAgent(new URL("/global/health", baseUrl), {
      method: "GET",
      headers: { authorization },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const said = await textOf(response);
    return response.statusCode === 200 && healthSchema.safeParse(JSON.parse(said)).success;
  } catch {
    return false; // Not listening yet, or cut off: the caller asks again until its deadline.
  }
};

const tail = (probe: ReadinessProbe): Promise<string> => probe.program.logTail();

const unavailable = (what: string, log: string): DomainError =>
  new DomainError(
    "sandbox_unavailable",
    `The agent's server ${what}. It said: ${log || "nothing"}`,
  );
