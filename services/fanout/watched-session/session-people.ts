import type { UserId } from "#contracts/ids";
import type { PersonPresent } from "#contracts/live/messages";
import type { PeopleChannel, PeopleNote } from "#event-store/live/people-channel";
import { encodeFrame, type EncodedFrame } from "../frame.ts";

export interface SessionPeopleOptions {
  readonly instance: string;
  readonly openChannel: (hear: (note: PeopleNote) => void) => PeopleChannel;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/** One connection of a person. */
export interface Attendance {
  /** Holds for {@link typingMs}. */
  typing(typing: boolean): void;
  /** Who is there now, and from now on whenever that changes. */
  follow(tell: (frame: EncodedFrame) => void): void;
  leave(): void;
}

interface Connected {
  readonly userId: UserId;
  typingUntil: number;
  tell: ((frame: EncodedFrame) => void) | null;
}

interface Elsewhere {
  readonly people: PeopleNote["people"];
  readonly until: number;
}

/** How long somebody types who does not say it again. */
const typingMs = 6_000;
/** How often each process says whom it sees, and how long that holds. */
const tellEveryMs = 10_000;
const heardForMs = 25_000;
/** How often what is over is looked for; changes in between are gathered for as long as `gatherMs`. */
const tickMs = 2_000;
const gatherMs = 250;
const maxNamed = 100;

/** Who has one session open: whom this process sees, and whom others tell of. */
export class SessionPeople {
  readonly #options: SessionPeopleOptions;
  readonly #channel: PeopleChannel;
  readonly #here = new Set<Connected>();
  readonly #elsewhere = new Map<string, Elsewhere>();
  readonly #ticking: NodeJS.Timeout;
  #gathering: NodeJS.Timeout | null = null;
  #toldAt: number;
  #toldOthers = "[]";
  #shown = "";

  constructor(options: SessionPeopleOptions) {
    this.#options = options;
    this.#channel = options.openChannel((note) => {
      this.#hear(note);
    });
    this.#toldAt = options.now();
    this.#tellOthers(true);
    this.#ticking = setInterval(() => {
      this.#tick();
    }, tickMs);
    this.#ticking.unref();
  }

  /** Somebody has opened the session. */
  enter(userId: UserId): Attendance {
    const connected: Connected = { userId, typingUntil: 0, tell: null };
    this.#here.add(connected);
    this.#changeSoon();
    return {
      typing: (typing) => {
        connected.typingUntil = typing ? this.#options.now() + typingMs : 0;
        this.#changeSoon();
      },
      follow: (tell) => {
        connected.tell = tell;
        tell(frameOf(this.#people()));
      },
      leave: () => {
        if (this.#here.delete(connected)) this.#changeSoon();
      },
    };
  }

  close(): void {
    clearInterval(this.#ticking);
    if (this.#gathering) clearTimeout(this.#gathering);
    this.#here.clear();
    this.#tellOthers(false);
    this.#channel.stop();
  }

  #hear({ instance, asks, people }: PeopleNote): void {
    if (instance === this.#options.instance) return;
    if (people.length === 0) this.#elsewhere.delete(instance);
    else this.#elsewhere.set(instance, { people, until: this.#options.now() + heardForMs });
    if (asks) this.#tellOthers(false);
    this.#changeSoon();
  }

  #tick(): void {
    const now = this.#options.now();
    for (const [instance, { until }] of this.#elsewhere) {
      if (until <= now) this.#elsewhere.delete(instance);
    }
    if (this.#here.size > 0 && now - this.#toldAt >= tellEveryMs) this.#tellOthers(false);
    this.#changeSoon();
  }

  /** A page full of people that all connect again is one change, and not one for each. */
  #changeSoon(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      if (JSON.stringify(this.#peopleHere()) !== this.#toldOthers) this.#tellOthers(false);
      this.#showChange();
    }, gatherMs).unref();
  }

  #showChange(): void {
    const people = this.#people();
    const shown = JSON.stringify(people);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const frame = frameOf(people);
    for (const { tell } of this.#here) tell?.(frame);
  }

  #tellOthers(asks: boolean): void {
    const people = this.#peopleHere();
    this.#toldOthers = JSON.stringify(people);
    this.#toldAt = this.#options.now();
    this.#channel.tell({ instance: this.#options.instance, asks, people });
  }

  #peopleHere(): PersonPresent[] {
    const now = this.#options.now();
    return merged(
      [...this.#here].map(({ userId, typingUntil }) => ({ userId, typing: typingUntil > now })),
    );
  }

  #people(): PersonPresent[] {
    const elsewhere = [...this.#elsewhere.values()].flatMap(({ people }) => people);
    return merged([...this.#peopleHere(), ...elsewhere]);
  }
}

/** Everybody once, by id; typing if they type in any window. */
const merged = (people: readonly PersonPresent[]): PersonPresent[] => {
  const typing = new Map<UserId, boolean>();
  for (const person of people) {
    typing.set(person.userId, person.typing || (typing.get(person.userId) ?? false));
  }
  return [...typing]
    .map(([userId, types]) => ({ userId, typing: types }))
    .sort((one, other) => (one.userId < other.userId ? -1 : 1));
};

const frameOf = (people: readonly PersonPresent[]): EncodedFrame =>
  encodeFrame({ type: "presence", count: people.length, people: people.slice(0, maxNamed) });
