/** Reading one's own write: waiting until a read model has come as far as a commit. */
import type { Position } from "#contracts/position";
import { formatPosition, parsePosition } from "#event-store/position";
import type { Sql } from "postgres";
import { parseAnnouncement, progressChannel } from "./runtime/announcement.ts";
import { readCheckpoints } from "./runtime/checkpoint.ts";

export interface WaitOptions {
  /** The read models that are to have reached the position; all of them unless told. */
  readonly models?: readonly string[] | undefined;
  /** How long to wait at most; 2,000 unless told. */
  readonly timeoutMs?: number;
}

export interface Progress extends AsyncDisposable {
  /**
   * Waits until read models have reached a position. Answers where the last of them stands in that shard,
   * which is before the position if the time ran out.
   *
   * @throws DomainError `position_invalid`; what Postgres throws
   */
  waitForPosition(position: Position, options?: WaitOptions): Promise<Position>;
  /** Stops listening; those who wait get their answers by looking again. Fine to call twice. */
  close(): Promise<void>;
}

/** How long a waiter relies on announcements, in milliseconds, before it looks for itself. */
const recheckMs = 250;

interface Waiter {
  readonly shard: number;
  /** Called when one of the models stands at a checkpoint. */
  readonly heard: (model: string, checkpoint: number) => void;
  /** Called when it is time to look again. */
  readonly look: () => void;
}

/** Starts to listen, on one connection for the whole process, to what the projectors announce. */
export const openProgress = async (sql: Sql): Promise<Progress> => {
  const waiters = new Set<Waiter>();
  const [row] = await sql<{ schema: string }[]>`select current_schema() as schema`;
  const schema = row?.schema ?? "public";

  const announced = (payload: string): void => {
    const announcement = parseAnnouncement(payload);
    if (announcement?.schema !== schema) return;
    const { shard, checkpoint, models } = announcement;
    for (const waiter of [...waiters].filter((candidate) => candidate.shard === shard)) {
      for (const model of models) waiter.heard(model, checkpoint);
    }
  };
  const lookAgain = (): void => {
    for (const waiter of waiters) waiter.look();
  };
  // what was announced while the connection was away is found by looking
  const subscription = await sql.listen(progressChannel, announced, lookAgain);

  const waitForPosition: Progress["waitForPosition"] = async (
    position,
    { models, timeoutMs = 2_000 } = {},
  ) => {
    const { shard, sequence } = parsePosition(position);
    const deadline = performance.now() + timeoutMs;
    /** How far each model is known to have come: what is heard and what is seen only adds to it. */
    const known = new Map<string, number>(models?.map((model) => [model, 0]));
    const note = (model: string, checkpoint: number): void => {
      known.set(model, Math.max(known.get(model) ?? 0, checkpoint));
    };
    const lowest = (): number => (known.size === 0 ? 0 : Math.min(...known.values()));
    let wake = (): void => undefined;
    const waiter: Waiter = {
      shard,
      heard: (model, checkpoint) => {
        if (models !== undefined && !models.includes(model)) return;
        note(model, checkpoint);
        if (lowest() >= sequence) wake();
      },
      look: () => wake(),
    };
    // listen first, look second: a move in between is then either seen or heard
    waiters.add(waiter);
    try {
      for (;;) {
        const left = deadline - performance.now();
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        for (const [model, checkpoint] of await readCheckpoints(sql, shard, models))
          note(model, checkpoint);
        if (lowest() >= sequence || left <= 0) return formatPosition(shard, lowest());
        await within(woken, Math.min(recheckMs, left));
        if (lowest() >= sequence) return formatPosition(shard, lowest());
      }
    } finally {
      waiters.delete(waiter);
    }
  };

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= subscription.unlisten().then(lookAgain);
    return closing;
  };
  return { waitForPosition, close, [Symbol.asyncDispose]: close };
};

/** Waits for a promise that never rejects, for a while at most. */
const within = async (promise: Promise<void>, ms: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, over]);
  clearTimeout(timer);
};
