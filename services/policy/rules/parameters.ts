/** The parameters of a call by their paths, each looked up once however many rules ask. */

type Params = Readonly<Record<string, unknown>>;

/** The paths that rules ask for, names joined by dots such as `issue.team`, as numbers. */
export class ParameterPaths {
  readonly #numbers = new Map<string, number>();
  readonly #names: (readonly string[])[] = [];

  numberOf(path: string): number {
    const number = this.#numbers.get(path) ?? this.#names.push(path.split(".")) - 1;
    this.#numbers.set(path, number);
    return number;
  }

  /** The values of one call by the numbers of their paths; undefined for what is not there. */
  reader(params: Params): (path: number) => unknown {
    const values: unknown[] = [];
    const isKnown: boolean[] = [];
    return (path) => {
      if (isKnown[path] !== true) {
        values[path] = valueAt(params, this.#names[path] ?? []);
        isKnown[path] = true;
      }
      return values[path];
    };
  }
}

const valueAt = (params: Params, names: readonly string[]): unknown => {
  let value: unknown = params;
  for (const name of names) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      // What is inside a list cannot be told by name.
      return Array.isArray(value) ? value : undefined;
    }
    value = (value as Params)[name];
  }
  return value;
};
