/**
 * Finds the rules whose condition on a text may hold, without asking each of them: by what the text must
 * be, begin with, end with or hold somewhere. Only narrows down; whoever is found is asked all the same. Pure.
 */
import type { Condition } from "#contracts/policy/rules";
import { longestText } from "./conditions.ts";

/** What a text must be like for a condition to hold: one of these texts, or with one of them in that place. */
export interface Guard {
  readonly path: string;
  readonly kind: "is" | "begins" | "ends" | "holds";
  readonly texts: readonly string[];
}

/** Each of which must hold for the conditions to be met. */
export const guardsOf = (conditions: readonly Condition[]): readonly Guard[] =>
  conditions.flatMap(textGuards);

const textGuards = (condition: Condition): readonly Guard[] => {
  const { path } = condition;
  switch (condition.op) {
    case "equals":
      return exactGuard(path, [condition.value]);
    case "in":
      return exactGuard(path, condition.values);
    case "matches": {
      const [begins = "", ...rest] = condition.glob.split(/[*?]/);
      const ends = rest.pop() ?? "";
      return [
        ...(begins === "" ? [] : [{ path, kind: "begins" as const, texts: [begins] }]),
        ...(ends === "" ? [] : [{ path, kind: "ends" as const, texts: [ends] }]),
        ...rest.flatMap(piecesOf).map((text) => ({ path, kind: "holds" as const, texts: [text] })),
      ];
    }
    case "between":
      return [];
  }
};

/** As long as what is looked for in the midst of texts may be: so there are only so many lengths of it. */
const longestPiece = 4;
/** Of a long part of a pattern the beginning is enough. */
const mostPieces = 64;

const piecesOf = (part: string): readonly string[] => {
  if (part.length <= longestPiece) return part === "" ? [] : [part];
  const count = Math.min(part.length - longestPiece + 1, mostPieces);
  return Array.from({ length: count }, (_, at) => part.slice(at, at + longestPiece));
};

const exactGuard = (path: string, values: readonly unknown[]): readonly Guard[] => {
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === values.length ? [{ path, kind: "is", texts }] : [];
};

/** So few that it makes no difference how many others share a guard. */
const few = 8;
/** What is asked of a text first, where it makes no other difference. */
const kinds: readonly Guard["kind"][] = ["is", "begins", "ends", "holds"];

/** Of the guards of each rule the one that it shares with the fewest others; null where there is none. */
export const rarestGuards = (all: readonly (readonly Guard[])[]): readonly (Guard | null)[] => {
  const nameOf = ({ path, kind }: Guard, text: string): string => `${path}\n${kind}\n${text}`;
  const counts = new Map<string, number>();
  for (const guard of all.flat()) {
    for (const text of guard.texts) {
      const name = nameOf(guard, text);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const sharedBy = (guard: Guard): number =>
    Math.max(
      few,
      guard.texts.reduce((sum, text) => sum + (counts.get(nameOf(guard, text)) ?? 0), 0),
    );
  return all.map((guards) => {
    const ranked = guards.map((guard) => ({
      guard,
      rank: sharedBy(guard) * kinds.length + kinds.indexOf(guard.kind),
    }));
    return (
      ranked.reduce<(typeof ranked)[number] | null>(
        (best, one) => (best && best.rank <= one.rank ? best : one),
        null,
      )?.guard ?? null
    );
  });
};

/** What is guarded by the value of one parameter. */
export class GuardedByText<T> {
  readonly #all: T[] = [];
  readonly #held: T[] = [];
  readonly #tables = new Map<string, Table<T>>();

  /** In the order in which they are to be found. */
  add({ kind, texts }: Guard, guarded: T): void {
    this.#all.push(guarded);
    if (kind === "holds") this.#held.push(guarded);
    for (const text of texts) {
      const name = kind === "is" ? kind : `${kind} ${text.length}`;
      const table: Table<T> = this.#tables.get(name) ?? {
        kind,
        length: text.length,
        byText: new Map(),
      };
      this.#tables.set(name, table);
      const same = table.byText.get(text) ?? [];
      table.byText.set(text, same);
      same.push(guarded);
    }
  }

  /** Lists that hold, together, all whose condition may hold for the value; each in its order. */
  lists(value: unknown): readonly (readonly T[])[] {
    // What is not there meets no condition; what is no text, or too long, cannot be told for some.
    if (value === undefined || value === null) return [];
    if (typeof value !== "string" || value.length > longestText) return [this.#all];
    const lists = new Set<readonly T[]>();
    const isLong = value.length > this.#held.length * dearness;
    if (isLong && this.#held.length > 0) lists.add(this.#held);
    for (const table of this.#tables.values()) {
      if (table.kind === "holds" && isLong) continue;
      for (const text of textsIn(value, table)) {
        const list = table.byText.get(text);
        if (list) lists.add(list);
      }
    }
    return [...lists];
  }
}

/** How many places of a text are looked at in the time in which one pattern is tried. */
const dearness = 4;

interface Table<T> {
  readonly kind: Guard["kind"];
  readonly length: number;
  readonly byText: Map<string, T[]>;
}

/** The texts of a length that stand in the place that is meant. */
const textsIn = (
  value: string,
  { kind, length }: Pick<Table<unknown>, "kind" | "length">,
): readonly string[] => {
  switch (kind) {
    case "is":
      return [value];
    case "begins":
      return [value.slice(0, length)];
    case "ends":
      return [value.slice(-length)];
    case "holds":
      return Array.from({ length: Math.max(0, value.length - length + 1) }, (_, at) =>
        value.slice(at, at + length),
      );
  }
};
