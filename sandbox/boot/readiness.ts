/** Waits until the agent's server answers. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
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

/** @throws DomainError `sandbox_unavailable` when the server ended or did not answer in time */
export const waitUntilReady = async (probe: ReadinessProbe): Promise<void> => {
  const { timeoutMs } = probe.limits ?? defaultReadinessLimits;
  const startedAt = performance.now();
  for (;;) {
    probe.signal.throwIfAborted();
    if (await isHealthy(probe, probe.signal)) return;
    if (!(await probe.program.running()))
      throw unavailable("ended before it answered", await tail(probe));
    const elapsed = performance.now() - startedAt;
    if (elapsed > timeoutMs) {
      throw unavailable(`did not answer within ${timeoutMs} ms`, await tail(probe));
    }
    await delay(pauseAfter(elapsed), undefined, { signal: probe.signal });
  }
};

/** One question to the health endpoint. Another server on that port does not know our password. */
export const isHealthy = async (
  { baseUrl, authorization }: AgentEndpoint,
  signal?: AbortSignal,
): Promise<boolean> => {
  const limit = AbortSignal.timeout(5_000);
  try {
    const response = await fetch(new URL("/global/health", baseUrl), {
      headers: { authorization },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return false;
    }
    return healthSchema.safeParse(await response.json()).success;
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
