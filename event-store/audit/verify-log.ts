/**
 * Whether the history is whole, and if not, what happened to it. One pass over the log finds the
 * aggregates whose chain does not hold; each of those is then read again and looked at closely, so
 * that the memory that is needed grows with the number of aggregates and not with the log.
 */
import type { AggregateRef } from "#contracts/commit";
import { isDomainError } from "#contracts/errors";
import { lastSequence } from "../reading/commit-feed.ts";
import type { EventStore } from "../event-store.ts";
import { formatPosition, parsePosition } from "../position.ts";
import { hashOf, readRecorded, type RecordedCommit } from "../reading/recorded.ts";
import { parseSubject, shardOf } from "../sharding.ts";
import { aggregateName, ChainHeads } from "../reading/verify-chain.ts";
import { analyseChain, type ChainLink } from "./chain-analysis.ts";
import type { LogFault } from "./fault.ts";
import { type LogScope, shardsOf } from "./scope.ts";
import { readStored, type StoredMessage } from "./stored-messages.ts";
import type { Testimony, Witness } from "./witness.ts";

export interface Verification {
  readonly ok: boolean;
  readonly commits: number;
  readonly aggregates: number;
  /** In the order of the log. */
  readonly faults: readonly LogFault[];
}

export interface VerifyOptions {
  readonly scope?: LogScope;
  /** Without one, it cannot be told whether the newest commits of an aggregate are there. */
  readonly witness?: Witness | undefined;
}

/**
 * Verifies the log, or a part of it, up to the end that it has now. Gaps in the sequences of a stream
 * are looked for when the scope is the whole log; a part has them by nature.
 */
export const verifyLog = async (
  store: EventStore,
  { scope = {}, witness }: VerifyOptions = {},
): Promise<Verification> => {
  // The witness first: what it has seen must be in the log by the time that the log is read.
  const testimony = await witness?.testify(scope);
  const scan = new Scan(store, scope, testimony);
  const ends = new Map<number, number>();
  for (const shard of shardsOf(scope, store.shards)) {
    const end = await lastSequence(store, shard);
    ends.set(shard, end);
    await scan.readShard(shard, end);
  }
  const faults = [...scan.faults];
  for (const ref of scan.suspects()) {
    faults.push(...(await examine(store, ref, { ends, testimony, witness })));
  }
  return {
    ok: faults.length === 0,
    commits: scan.commits,
    aggregates: scan.aggregates,
    faults: faults.toSorted(byPlace),
  };
};

const byPlace = (one: LogFault, other: LogFault): number => {
  const [a, b] = [parsePosition(one.position), parsePosition(other.position)];
  return a.shard - b.shard || a.sequence - b.sequence;
};

/** The first pass. */
class Scan {
  readonly faults: LogFault[] = [];
  commits = 0;
  readonly #store: EventStore;
  readonly #scope: LogScope;
  readonly #testimony: Testimony | undefined;
  readonly #heads = new ChainHeads();
  /** The newest commit of each aggregate that the witness must have seen. */
  readonly #seen = new Map<string, { readonly ref: AggregateRef; readonly hash: string }>();
  readonly #suspects = new Map<string, AggregateRef>();

  constructor(store: EventStore, scope: LogScope, testimony: Testimony | undefined) {
    this.#store = store;
    this.#scope = scope;
    this.#testimony = testimony;
  }

  get aggregates(): number {
    return this.#heads.aggregates;
  }

  async readShard(shard: number, end: number): Promise<void> {
    let last = 0;
    const { organization, aggregate } = this.#scope;
    const whole = organization === undefined && aggregate === undefined;
    for await (const message of readStored(this.#store, {
      shard,
      scope: this.#scope,
      until: end,
    })) {
      if (whole) this.#lookForGap(shard, last, message.seq);
      last = message.seq;
      this.#take(message);
    }
    if (whole) this.#lookForGap(shard, last, end + 1);
  }

  #lookForGap(shard: number, before: number, next: number): void {
    const missing = next - before - 1;
    if (missing === 0) return;
    this.faults.push({
      kind: "gap",
      position: formatPosition(shard, before + 1),
      aggregate: null,
      expected: null,
      named: null,
      explanation:
        missing === 1
          ? "The stream holds no message here."
          : `The stream holds no message here, nor at the next ${missing - 1} sequences.`,
    });
  }

  #take(message: StoredMessage): void {
    this.commits += 1;
    const recorded = this.#read(message);
    const ref = refOf(message);
    if (ref === null) return;
    const hash = recorded?.hash ?? hashOf(message.data);
    const name = aggregateName(ref);
    const shard = shardOf(ref.organization, this.#store.shards);
    if (shard !== message.shard) {
      this.faults.push({
        kind: "misplaced",
        position: formatPosition(message.shard, message.seq),
        aggregate: ref,
        expected: null,
        named: hash,
        explanation: `The commits of ${ref.organization} belong to shard ${shard}.`,
      });
      return;
    }
    const expected = this.#heads.follow(ref, hash);
    if (recorded === null || recorded.commit.meta.prev !== expected) this.#suspects.set(name, ref);
    if (message.seq <= (this.#testimony?.through.get(shard) ?? 0)) {
      this.#seen.set(name, { ref, hash });
    }
  }

  #read(message: StoredMessage): RecordedCommit | null {
    try {
      return readRecorded(message);
    } catch (error) {
      // Only what the message itself is to blame for.
      if (!isDomainError(error)) throw error;
      this.faults.push({
        kind: "unreadable",
        position: formatPosition(message.shard, message.seq),
        aggregate: refOf(message),
        expected: null,
        named: hashOf(message.data),
        explanation: error.message,
      });
      return null;
    }
  }

  /** The aggregates that have to be looked at closely. */
  suspects(): readonly AggregateRef[] {
    if (this.#testimony) {
      const unheard = new Map(this.#seen);
      for (const { ref, hash } of this.#testimony.heads) {
        const name = aggregateName(ref);
        if (unheard.get(name)?.hash !== hash) this.#suspects.set(name, ref);
        unheard.delete(name);
      }
      for (const [name, { ref }] of unheard) this.#suspects.set(name, ref);
    }
    return [...this.#suspects.values()];
  }
}

const refOf = ({ subject }: Pick<StoredMessage, "subject">): AggregateRef | null => {
  try {
    return parseSubject(subject);
  } catch (error) {
    // The subject is none of ours: the message is told to be unreadable.
    if (!isDomainError(error)) throw error;
    return null;
  }
};

/** The second pass, over one aggregate. */
const examine = async (
  store: EventStore,
  ref: AggregateRef,
  {
    ends,
    testimony,
    witness,
  }: {
    readonly ends: ReadonlyMap<number, number>;
    readonly testimony: Testimony | undefined;
    readonly witness: Witness | undefined;
  },
): Promise<readonly LogFault[]> => {
  const shard = shardOf(ref.organization, store.shards);
  const links: ChainLink[] = [];
  const scope = {
    organization: ref.organization,
    aggregate: { type: ref.aggregate, id: ref.id },
  };
  for await (const message of readStored(store, { shard, scope, until: ends.get(shard) ?? 0 })) {
    links.push(linkOf(message));
  }
  const through = testimony?.through.get(shard) ?? 0;
  const witnessed = witness && { through, commits: await witness.commitsOf(ref, through) };
  return analyseChain({ ref, shard, links, witnessed: witnessed ?? null });
};

const linkOf = (message: StoredMessage): ChainLink => {
  const place = {
    position: formatPosition(message.shard, message.seq),
    sequence: message.seq,
    hash: hashOf(message.data),
    follows: message.follows,
  };
  try {
    const { meta } = readRecorded(message).commit;
    return { ...place, prev: meta.prev, commandId: meta.commandId };
  } catch (error) {
    // Told by the first pass.
    if (!isDomainError(error)) throw error;
    return { ...place, prev: null, commandId: null };
  }
};
