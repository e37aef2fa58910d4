/**
 * Finds the rules whose condition on a text may hold, without asking each of them: by what the text must
 * be, begin with or end with. Only narrows down; whoever is found is asked all the same. Pure.
 */
import type { Condition } from "#contracts/policy/rules";
import { longestText } from "./conditions.ts";

/** What a text must be like for a condition to hold. */
export interface Guard {
  readonly path: string;
  readonly kind: "is" | "begins" | "ends";
  readonly texts: readonly string[];
}

/** The condition that leaves the fewest texts, as a guard; null if none of them speaks of texts alone. */
export const guardOf = (conditions: readonly Condition[]): Guard | null => {
  const guards = conditions.flatMap((condition) => textGuard(condition) ?? []);
  return guards.sort((one, other) => selectivity(other) - selectivity(one))[0] ?? null;
};

const selectivity = ({ kind, texts: [text = ""] }: Guard): number =>
  kind === "is" ? Infinity : text.length;

const textGuard = (condition: Condition): Guard | null => {
  const { path } = condition;
  switch (condition.op) {
    case "equals":
      return exactGuard(path, [condition.value]);
    case "in":
      return exactGuard(path, condition.values);
    case "matches": {
      const begins = /^[^*?]*/.exec(condition.glob)?.[0] ?? "";
      const ends = /[^*?]*$/.exec(condition.glob)?.[0] ?? "";
      if (begins === "" && ends === "") return null;
      return begins.length >= ends.length
        ? { path, kind: "begins", texts: [begins] }
        : { path, kind: "ends", texts: [ends] };
    }
    case "between":
      return null;
  }
};

const exactGuard = (path: string, values: readonly unknown[]): Guard | null => {
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === values.length ? { path, kind: "is", texts } : null;
};

/** What is guarded by the value of one parameter. */
export class GuardedByText<T> {
  readonly #all: T[] = [];
  readonly #tables = new Map<string, Table<T>>();

  /** In the order in which they are to be found. */
  add({ kind, texts }: Guard, guarded: T): void {
    this.#all.push(guarded);
    for (const text of texts) {
      const name = kind === "is" ? kind : `${kind} ${text.length}`;
      const table = this.#tables.get(name) ?? tableOf<T>(kind, text.length);
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
    const lists: (readonly T[])[] = [];
    for (const { cut, byText } of this.#tables.values()) {
      const list = byText.get(cut(value));
      if (list) lists.push(list);
    }
    return lists;
  }
}

interface Table<T> {
  readonly cut: (value: string) => string;
  readonly byText: Map<string, T[]>;
}

const tableOf = <T>(kind: Guard["kind"], length: number): Table<T> => ({
  cut: cutOf(kind, length),
  byText: new Map(),
});

const cutOf = (kind: Guard["kind"], length: number): ((value: string) => string) => {
  if (kind === "is") return (value) => value;
  return kind === "begins" ? (value) => value.slice(0, length) : (value) => value.slice(-length);
};
