import { type AggregateRef, type Commit, genesisHash } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import type { Decider } from "./decider.ts";
import { domainEventsOf } from "./domain-events.ts";

/** How many of an aggregate's newest commands are remembered, to recognise one that comes again. */
export const rememberedCommands = 1_024;

/** The newest commands with one more, in the place of the oldest if there are too many. */
export const withCommand = (
  commands: ReadonlyMap<string, number>,
  commandId: string,
  sequence: number,
): ReadonlyMap<string, number> => {
  const more = new Map(commands);
  addCommand(more, commandId, sequence);
  return more;
};

const addCommand = (commands: Map<string, number>, commandId: string, sequence: number): void => {
  commands.set(commandId, sequence);
  if (commands.size > rememberedCommands) {
    const [oldest] = commands.keys();
    if (oldest !== undefined) commands.delete(oldest);
  }
};

/** How far a history has been folded. */
export interface Folding<State> {
  readonly state: State;
  /** Of the last commit in the shard's stream; 0 before the first. */
  readonly sequence: number;
  /** The last commit's; `genesisHash` before the first. */
  readonly hash: string;
  /** The sequences of the newest commits by their command ids, the oldest first. */
  readonly commands: ReadonlyMap<string, number>;
}

/** What a state was made from. */
export interface Material {
  /** How much of the log and of a snapshot, in bytes: about as much as the state can hold. */
  readonly bytes: number;
  /** With whose keys text of it was sealed. */
  readonly textOwners: ReadonlySet<string>;
}

export type Folded<State> = Folding<State> &
  Material & {
    /** Commits that were folded after the start. */
    readonly folded: number;
  };

/** Of an aggregate without commits. */
export const nothingFolded = <Command, Event, State>({
  initialState,
}: Decider<Command, Event, State>): Folding<State> & Material => ({
  state: initialState(),
  sequence: 0,
  hash: genesisHash,
  commands: new Map(),
  bytes: 0,
  textOwners: new Set(),
});

/** A commit with its text, and its place in the history. */
interface FoldedCommit {
  readonly sequence: number;
  readonly hash: string;
  readonly commit: Commit;
}

/** Folds the stored commits of one aggregate, each of which must follow the one before. */
export class FoldingInProgress<Command, Event, State> {
  readonly #decider: Decider<Command, Event, State>;
  readonly #ref: AggregateRef;
  readonly #commands: Map<string, number>;
  #state: State;
  #sequence: number;
  #hash: string;
  readonly #textOwners: Set<string>;
  #bytes: number;
  #folded = 0;

  constructor(
    decider: Decider<Command, Event, State>,
    ref: AggregateRef,
    { state, sequence, hash, commands, bytes, textOwners }: Folding<State> & Material,
  ) {
    this.#decider = decider;
    this.#ref = ref;
    this.#state = state;
    this.#sequence = sequence;
    this.#hash = hash;
    this.#commands = new Map(commands);
    this.#bytes = bytes;
    this.#textOwners = new Set(textOwners);
  }

  /** Counts a stored commit in, whose text has not been opened. */
  count(bytes: number, { events }: Commit): void {
    this.#bytes += bytes;
    for (const { sealed } of events) if (sealed) this.#textOwners.add(sealed.owner);
  }

  /** @throws DomainError `log_gap`, `event_unknown`, `event_invalid` */
  add({ sequence, hash, commit }: FoldedCommit): void {
    const { meta } = commit;
    if (meta.prev !== this.#hash) {
      const { aggregate, id } = this.#ref;
      throw new DomainError("log_gap", `The history of this ${aggregate} is broken.`, {
        fields: { aggregate, id, after: this.#sequence, found: sequence },
      });
    }
    for (const event of domainEventsOf(commit)) {
      this.#state = this.#decider.evolve(this.#state, event as Event);
    }
    this.#sequence = sequence;
    this.#hash = hash;
    this.#folded += 1;
    addCommand(this.#commands, meta.commandId, sequence);
  }

  result(): Folded<State> {
    return {
      state: this.#state,
      sequence: this.#sequence,
      hash: this.#hash,
      commands: this.#commands,
      bytes: this.#bytes,
      textOwners: this.#textOwners,
      folded: this.#folded,
    };
  }
}
