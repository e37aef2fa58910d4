/** Ends the sandboxes that the session does not use, or not any more. */
import { DomainError } from "#contracts/errors";
import { isStale } from "./bring-up.ts";
import type { OwnerContext } from "../owner-context.ts";
import { otherSandbox } from "./sandbox-ref.ts";
import { withinTime } from "../within-time.ts";

/** How long after a failure of the provider it is asked again, in milliseconds. */
const retryMs = 30_000;

export interface SpareSandboxes {
  /** @throws DomainError `stale_owner`; a failure of the provider only puts it off */
  end(spares: readonly number[], signal: AbortSignal): Promise<void>;
  putOff(): boolean;
  close(): void;
}

/** @param ring called when what was put off is due */
export const createSpareSandboxes = (context: OwnerContext, ring: () => void): SpareSandboxes => {
  const { deps, session, epoch, limits } = context;
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };

  const putOff = (): void => {
    close();
    timer = setTimeout(() => {
      timer = undefined;
      ring();
    }, retryMs);
  };

  return {
    end: async (spares, signal) => {
      for (const generation of spares) {
        try {
          const late = () =>
            new DomainError("sandbox_unavailable", "A sandbox was not ended in time.");
          await withinTime({ ms: limits.endSpareMs, signal, late }, () =>
            deps.provider.terminate(otherSandbox(session, generation)),
          );
          await context.command({ type: "ReportSpareEnded", epoch, generation });
        } catch (error) {
          if (isStale(error) || signal.aborted) throw error;
          deps.log.warn({ err: error, sessionId: session }, "a spare sandbox was not ended");
          putOff();
        }
      }
    },
    putOff: () => timer !== undefined,
    close,
  };
};
