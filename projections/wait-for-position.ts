/** Reading one's own write: waiting until the read models have come as far as a commit. */
import type { Position } from "#contracts/position";
import { formatPosition, parsePosition } from "#event-store/position";
import type { Sql } from "postgres";
import { progressChannel, readCheckpoint } from "./runtime/checkpoint.ts";

export interface Progress extends AsyncDisposable {
  /**
   * Waits until the read models have reached a position, for `timeoutMs` (2,000) at most. Answers where
   * they stand in that shard, which is before the position if the time ran out.
   *
   * @throws DomainError `position_invalid`; what Postgres throws
   */
  waitForPosition(position: Position, options?: { readonly timeoutMs?: number }): Promise<Position>;
  /** Where the read models stand in a shard. */
  position(shard: number): Promise<Position>;
  /** Stops listening; those who wait get their answers by looking again. Fine to call twice. */
  close(): Promise<void>;
}

/** How long a waiter relies on announcements, in milliseconds, before it looks for itself. */
const recheckMs = 250;

interface Waiter {
  readonly shard: number;
  readonly sequence: number;
  /** Called with the sequence reached, or with null when it is time to look again. */
  readonly wake: (reached: number | null) => void;
}

/** Starts to listen, on one connection for the whole process, to what the projectors announce. */
export const openProgress = async (sql: Sql): Promise<Progress> => {
  const waiters = new Set<Waiter>();
  const [row] = await sql<{ schema: string }[]>`select current_schema() as schema`;
  const prefix = `${row?.schema ?? "public"}/`;

  const announced = (payload: string): void => {
    if (!payload.startsWith(prefix)) return;
    const { shard, sequence } = parsePosition(payload.slice(prefix.length));
    for (const waiter of waiters) {
      if (waiter.shard === shard && waiter.sequence <= sequence) waiter.wake(sequence);
    }
  };
  const lookAgain = (): void => {
    for (const waiter of waiters) waiter.wake(null);
  };
  // what was announced while the connection was away is found by looking
  const subscription = await sql.listen(progressChannel, announced, lookAgain);

  /** What is announced after this call, or null when nothing was for a while. */
  const announcement = (
    target: { readonly shard: number; readonly sequence: number },
    patienceMs: number,
  ): { readonly reached: Promise<number | null>; readonly cancel: () => void } => {
    let cancel = (): void => undefined;
    const reached = new Promise<number | null>((resolve) => {
      const waiter: Waiter = {
        ...target,
        wake: (sequence) => {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve(sequence);
        },
      };
      const timer = setTimeout(waiter.wake, patienceMs, null);
      cancel = () => {
        waiter.wake(null);
      };
      waiters.add(waiter);
    });
    return { reached, cancel };
  };

  const waitForPosition: Progress["waitForPosition"] = async (
    position,
    { timeoutMs = 2_000 } = {},
  ) => {
    const target = parsePosition(position);
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const left = deadline - performance.now();
      // listen first, look second: a move in between is then either seen or heard
      const { reached, cancel } = announcement(target, Math.max(0, Math.min(recheckMs, left)));
      const checkpoint = await readCheckpoint(sql, target.shard).catch((error: unknown) => {
        cancel();
        throw error;
      });
      if (checkpoint >= target.sequence || left <= 0) {
        cancel();
        return formatPosition(target.shard, checkpoint);
      }
      const sequence = await reached;
      if (sequence !== null) return formatPosition(target.shard, sequence);
    }
  };

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= subscription.unlisten().then(lookAgain);
    return closing;
  };
  return {
    waitForPosition,
    position: async (shard) => formatPosition(shard, await readCheckpoint(sql, shard)),
    close,
    [Symbol.asyncDispose]: close,
  };
};
