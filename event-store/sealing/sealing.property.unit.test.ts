import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AggregateRef, commitSchema, genesisHash, type StoredEvent } from "#contracts/commit";
import { takeText } from "#contracts/erasure/text-fields";
import { allEvents, definitionOf, parseEvent } from "#contracts/event-registry";
import { newId } from "#contracts/ids";
import { arbitraryOf } from "../testing/arbitrary-of.ts";
import { memoryDataKeys } from "../testing/memory-data-keys.ts";
import type { DataKeys } from "./data-keys.ts";
import { openCommits } from "./open-commits.ts";
import { sealCommit } from "./seal-commit.ts";

const organization = newId("organization");
const ref: AggregateRef = { organization, aggregate: "session", id: newId("session") };
const owner = ref.id;

const storedEvents = fc.oneof(
  ...allEvents.map(({ type, v, data }) =>
    arbitraryOf(data).map((value): StoredEvent => {
      const json = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
      return { id: newId("event"), type, v, data: json };
    }),
  ),
);

const commitOf = (events: StoredEvent[]) => ({
  v: 1 as const,
  events,
  meta: {
    commandId: newId("command"),
    causationId: null,
    correlationId: newId("command"),
    actor: { kind: "user" as const, id: "usr_1", via: "test" },
    at: "2026-01-01T00:00:00.000Z",
    prev: genesisHash,
  },
});

/** As it comes back from the log. */
const stored = async (keys: DataKeys, events: StoredEvent[]) => {
  const sealed = await sealCommit(keys, { ref, owner }, commitOf(events));
  return { ref, commit: commitSchema.parse(JSON.parse(JSON.stringify(sealed))) };
};

/** The strings of the text of an event that are too long to come about by chance. */
const secretsOf = ({ type, data }: StoredEvent): readonly string[] => {
  const found: string[] = [];
  const { values, ...rest } = takeText(definitionOf(type), data);
  JSON.stringify(values, (key, value: unknown) => {
    if (typeof value === "string") found.push(value);
    return value;
  });
  const plain = JSON.stringify(rest.data);
  return found.filter((text) => text.length >= 12 && !plain.includes(text));
};

/** Event by event: what is a secret in one may stand in the open in another. */
const expectWithoutSecrets = (
  found: readonly object[],
  originals: readonly StoredEvent[],
): void => {
  for (const [index, original] of originals.entries()) {
    const bytes = JSON.stringify(found[index]);
    for (const secret of secretsOf(original)) expect(bytes).not.toContain(secret);
  }
};

describe("the text of commits", () => {
  it("comes back as it was, and is in no stored byte", async () => {
    const keys = memoryDataKeys();
    await fc.assert(
      fc.asyncProperty(fc.array(storedEvents, { minLength: 1, maxLength: 4 }), async (events) => {
        const sealed = await stored(keys, events);
        expectWithoutSecrets(sealed.commit.events, events);
        const [opened] = await openCommits(keys, [sealed]);
        expect(opened?.commit).toEqual({ ...sealed.commit, events });
      }),
    );
  });

  it("is nothing but valid markers once its key was erased, sealed before or after", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(storedEvents, { minLength: 1, maxLength: 4 }), async (events) => {
        const keys = memoryDataKeys();
        const before = await stored(keys, events);
        keys.erase({ organization, owner });
        const after = await stored(keys, events);
        const opened = await openCommits(keys, [before, after]);
        for (const { commit } of opened) {
          const read = commit.events.map((event) => parseEvent(event));
          expect(read.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
          expectWithoutSecrets(read, events);
        }
        expect(opened[0]?.commit.events).toEqual(opened[1]?.commit.events);
      }),
    );
  });

  it("does not open in another place, or without keys", async () => {
    const keys = memoryDataKeys();
    const event = (id: string): StoredEvent => ({
      id: id as StoredEvent["id"],
      type: "OutcomeLost",
      v: 1,
      data: { reason: "a secret" },
    });
    const { commit } = await stored(keys, [event(newId("event"))]);
    const [first] = commit.events;
    const moved = { ...commit, events: [{ ...first, id: newId("event") } as StoredEvent] };
    await expect(openCommits(keys, [{ ref, commit: moved }])).rejects.toMatchObject({
      code: "event_invalid",
    });
    const elsewhere = { ...ref, id: newId("session") };
    await expect(openCommits(keys, [{ ref: elsewhere, commit }])).rejects.toMatchObject({
      code: "event_invalid",
    });
    await expect(openCommits(null, [{ ref, commit }])).rejects.toMatchObject({
      code: "prerequisite_missing",
    });
    expect(() => parseEvent(first as StoredEvent)).toThrow(
      expect.objectContaining({ code: "event_invalid" }) as Error,
    );
  });
});
