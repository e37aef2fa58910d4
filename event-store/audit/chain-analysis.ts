/** What happened to the chain of one aggregate. Pure. */
import { type AggregateRef, genesisHash } from "#contracts/commit";
import type { Position } from "#contracts/position";
import { formatPosition } from "../position.ts";
import type { FaultKind, LogFault } from "./fault.ts";
import type { WitnessedCommit } from "./witness.ts";

/** A stored message of the aggregate. */
export interface ChainLink {
  readonly position: Position;
  readonly sequence: number;
  readonly hash: string;
  /** Null for a message that cannot be read; so is the command's id. */
  readonly prev: string | null;
  readonly commandId: string | null;
  /** The sequence of the commit before it, as its writer said; null if nothing is known of it. */
  readonly follows: number | null;
}

export interface Chain {
  readonly ref: AggregateRef;
  readonly shard: number;
  /** In the order of the log. */
  readonly links: readonly ChainLink[];
  /** What the witness remembers of it, and how far it has seen the log; null without a witness. */
  readonly witnessed: {
    readonly commits: readonly WitnessedCommit[];
    readonly through: number;
  } | null;
}

/** Names everything that is wrong with a chain, first what the witness knows, then in order. */
export const analyseChain = (chain: Chain): readonly LogFault[] => {
  const { kept, faults: repetitions } = setRepetitionsAside(chain);
  const testimony = compareWithWitness(chain, kept);
  return [...repetitions, ...testimony.faults, ...findBreaks(chain, kept, testimony)];
};

type Found = Omit<LogFault, "aggregate">;

const faultOf = ({ ref }: Chain, kind: FaultKind, found: Omit<Found, "kind">): LogFault => ({
  kind,
  aggregate: ref,
  ...found,
});

const setRepetitionsAside = (
  chain: Chain,
): { readonly kept: readonly ChainLink[]; readonly faults: readonly LogFault[] } => {
  const first = new Map<string, ChainLink>();
  const faults: LogFault[] = [];
  for (const [index, link] of chain.links.entries()) {
    const original = first.get(link.hash);
    if (original === undefined) {
      first.set(link.hash, link);
      continue;
    }
    faults.push(
      faultOf(chain, "repeated", {
        position: link.position,
        expected: chain.links[index - 1]?.hash ?? genesisHash,
        named: link.prev,
        explanation: `It is the commit ${original.position} once more.`,
      }),
    );
  }
  return { kept: [...first.values()], faults };
};

interface Compared {
  readonly faults: readonly LogFault[];
  /** Hashes that the log lacks, and links whose bytes are not what they were: both told already. */
  readonly lost: ReadonlySet<string>;
  readonly altered: ReadonlySet<ChainLink>;
}

const compareWithWitness = (chain: Chain, kept: readonly ChainLink[]): Compared => {
  const { witnessed } = chain;
  const faults: LogFault[] = [];
  const lost = new Set<string>();
  const altered = new Set<ChainLink>();
  const present = new Set(kept.map(({ hash }) => hash));
  const remembered = new Set(witnessed?.commits.map(({ hash }) => hash));
  const foreign = kept.filter(
    ({ hash, sequence }) =>
      witnessed !== null && sequence <= witnessed.through && !remembered.has(hash),
  );
  for (const { hash, shard, sequence, commandId } of witnessed?.commits ?? []) {
    if (present.has(hash)) continue;
    lost.add(hash);
    // A commit keeps its command, or at least its place, when its content is changed.
    const now =
      foreign.find((link) => link.commandId === commandId && !altered.has(link)) ??
      foreign.find((link) => link.sequence === sequence && !altered.has(link));
    if (now) altered.add(now);
    faults.push(
      now
        ? faultOf(chain, "changed", {
            position: now.position,
            expected: hash,
            named: now.hash,
            explanation: "Its content is not what the read model has seen.",
          })
        : faultOf(chain, "removed", {
            position: formatPosition(shard, sequence),
            expected: hash,
            named: null,
            explanation: "The read model has seen it, and the log no longer has it.",
          }),
    );
  }
  for (const link of foreign.filter((candidate) => !altered.has(candidate))) {
    altered.add(link);
    faults.push(
      faultOf(chain, "added", {
        position: link.position,
        expected: null,
        named: link.hash,
        explanation: "The read model has come further and has never seen it.",
      }),
    );
  }
  return { faults, lost, altered };
};

const findBreaks = (
  chain: Chain,
  kept: readonly ChainLink[],
  { lost, altered }: Compared,
): readonly LogFault[] => {
  const places = new Map(kept.map((link, index) => [link.hash, index]));
  const followed = new Map<string, ChainLink>();
  return kept.flatMap((link, index): LogFault[] => {
    const before = kept[index - 1];
    const expected = before?.hash ?? genesisHash;
    const { prev: named, position } = link;
    if (named === null) return [];
    const rival = followed.get(named);
    followed.set(named, rival ?? link);
    if (named === expected) return [];
    const place = places.get(named);
    if (place !== undefined && place > index) {
      const explanation = `It stands before the commit ${kept[place]?.position ?? ""}, which it follows.`;
      return [faultOf(chain, "reordered", { position, expected, named, explanation })];
    }
    if (rival !== undefined) {
      const explanation = `The commit ${rival.position} follows the same predecessor.`;
      return [faultOf(chain, "forked", { position, expected, named, explanation })];
    }
    // What it follows stands elsewhere before it, so that another fault has come between them; or it
    // was found to be lost, or altered itself.
    if (place !== undefined || named === genesisHash || lost.has(named) || altered.has(link)) {
      return [];
    }
    return [lostPredecessor(chain, { link, before, named, expected })];
  });
};

/** The commit that a link follows is not there. Its writer may have left the place where it was. */
const lostPredecessor = (
  chain: Chain,
  {
    link,
    before,
    named,
    expected,
  }: {
    readonly link: ChainLink;
    readonly before: ChainLink | undefined;
    readonly named: string;
    readonly expected: string;
  },
): LogFault => {
  if (before !== undefined && link.follows === before.sequence) {
    return faultOf(chain, "changed", {
      position: before.position,
      expected: named,
      named: before.hash,
      explanation: `Its content is not what the commit ${link.position}, which follows it, has seen.`,
    });
  }
  if (link.follows !== null && link.follows > (before?.sequence ?? 0)) {
    return faultOf(chain, "removed", {
      position: formatPosition(chain.shard, link.follows),
      expected: named,
      named: null,
      explanation: `The commit ${link.position} follows it, and the log no longer has it.`,
    });
  }
  return faultOf(chain, "changed_or_removed", {
    position: link.position,
    expected,
    named,
    explanation: `Either the commit ${before?.position ?? "before it"} was changed, or one between them was removed.`,
  });
};
