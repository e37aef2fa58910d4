import type { AggregateRef, Commit } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import type { Decider } from "./decider.ts";
import { domainEventsOf } from "./domain-events.ts";

/** How many of an aggregate's newest commands are remembered, to recognise one that comes again. */
export const rememberedCommands = 1_024;

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

export type Folded<State> = Folding<State> & {
  /** Commits that were folded after the start. */
  readonly folded: number;
};

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
  #folded = 0;

  constructor(
    decider: Decider<Command, Event, State>,
    ref: AggregateRef,
    { state, sequence, hash, commands }: Folding<State>,
  ) {
    this.#decider = decider;
    this.#ref = ref;
    this.#state = state;
    this.#sequence = sequence;
    this.#hash = hash;
    this.#commands = new Map(commands);
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
    this.#remember(meta.commandId, sequence);
  }

  result(): Folded<State> {
    return {
      state: this.#state,
      sequence: this.#sequence,
      hash: this.#hash,
      commands: this.#commands,
      folded: this.#folded,
    };
  }

  #remember(commandId: string, sequence: number): void {
    this.#commands.set(commandId, sequence);
    if (this.#commands.size > rememberedCommands) {
      const [oldest] = this.#commands.keys();
      if (oldest !== undefined) {
        this.#commands.delete(oldest);
      }
    }
  }
}
