import { commitSchema, genesisHash } from "#contracts/commit";
import { newId } from "#contracts/ids";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isPlainCommit } from "./plain-commit.ts";
import { arbitraryOf } from "../testing/arbitrary-of.ts";

type Tree = Record<string, unknown>;

const commits = arbitraryOf(commitSchema)
  // lists that must not be empty are not provided for
  .filter((commit) => commitSchema.safeParse(commit).success)
  .map((commit) => JSON.stringify(commit));

/** The objects in parsed JSON, itself first, each with the names of its fields. */
const objectsIn = (value: unknown): readonly Tree[] =>
  typeof value === "object" && value !== null
    ? [value as Tree, ...Object.values(value).flatMap(objectsIn)]
    : [];

const oddities = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1, 1.5, 2 ** 53, "", "\n", [], {}, [{}]),
  fc.constantFrom("2025-02-29T00:00:00.000Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00+01:00"),
);

/** A commit in which one field was lost, added, lengthened, or given another value. */
const spoilt = fc
  .record({ text: commits, place: fc.nat(), field: fc.nat(), how: fc.nat(3), odd: oddities })
  .map(({ text, place, field, how, odd }) => {
    const commit: unknown = JSON.parse(text);
    const objects = objectsIn(commit);
    const object = objects[place % objects.length] ?? {};
    const names = Object.keys(object);
    const name = names[field % names.length] ?? "more";
    if (how === 0) Reflect.deleteProperty(object, name);
    else if (how === 1)
      Object.defineProperty(object, field % 2 === 0 ? "__proto__" : "more", added(odd));
    else if (how === 2 && typeof object[name] === "string") object[name] += "\n";
    else object[name] = odd;
    return JSON.stringify(commit);
  });

const added = (value: unknown): PropertyDescriptor => ({
  value,
  enumerable: true,
  configurable: true,
  writable: true,
});

it("takes a commit that is nothing but a commit for one", () => {
  fc.assert(fc.property(commits, (text) => isPlainCommit(JSON.parse(text))));
});

it("takes nothing for a commit that the schema refuses, or would change", () => {
  fc.assert(
    fc.property(spoilt, (text) => {
      const value: unknown = JSON.parse(text);
      if (!isPlainCommit(value)) return;
      expect(commitSchema.parse(value)).toStrictEqual(value);
      expect(JSON.stringify(commitSchema.parse(value))).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

it("agrees with the schema on how long each text may be", () => {
  const text = JSON.stringify({
    v: 1,
    events: [{ id: newId("event"), type: "Spoken", v: 1, data: {} }],
    meta: {
      commandId: "a",
      causationId: "b",
      correlationId: "c",
      actor: { kind: "user", id: "d", via: "e" },
      at: "2026-01-01T00:00:00.000Z",
      prev: genesisHash,
    },
  });
  for (const place of objectsIn(JSON.parse(text)).keys()) {
    for (const length of [0, 1, 64, 65, 128, 129, 160, 161]) {
      const commit: unknown = JSON.parse(text);
      const object = objectsIn(commit)[place] ?? {};
      for (const [name, value] of Object.entries(object)) {
        if (typeof value !== "string") continue;
        object[name] = "x".repeat(length);
        expect([name, length, isPlainCommit(commit)]).toEqual([
          name,
          length,
          commitSchema.safeParse(commit).success,
        ]);
        object[name] = value;
      }
    }
  }
});
