import type { AggregateRef, Commit, StoredEvent } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import { markersOf, putText } from "#contracts/erasure/text-fields";
import { definitionOf } from "#contracts/event-registry";
import { openBox } from "./box.ts";
import type { DataKey, DataKeys } from "./data-keys.ts";
import { placeOf } from "./seal-commit.ts";

/** A commit that was read, with whatever its reader knows of it beside. */
interface ReadCommit {
  readonly ref: AggregateRef;
  readonly commit: Commit;
}

/**
 * The commits with their text. Where the key was erased, or is another one than the text was sealed with,
 * markers stand in its place. The keys of all of them are asked for at once.
 *
 * @throws DomainError `log_unavailable` while the keys cannot be read; `event_invalid` for text that its
 * key does not open; `prerequisite_missing` for sealed text where there are no keys at all
 */
export const openCommits = async <T extends ReadCommit>(
  keys: DataKeys | null,
  commits: readonly T[],
): Promise<readonly T[]> => {
  const owners = new Map<string, { readonly organization: string; readonly owner: string }>();
  for (const { ref, commit } of commits) {
    for (const { sealed } of commit.events) {
      if (sealed === undefined) continue;
      const owner = { organization: ref.organization, owner: sealed.owner };
      owners.set(nameOf(owner.organization, owner.owner), owner);
    }
  }
  if (owners.size === 0) return commits;
  if (keys === null) {
    throw new DomainError("prerequisite_missing", "The text of the log is sealed: give its keys.");
  }
  const opened = await keys.toOpen([...owners.values()]);
  const keyOf = new Map([...owners.keys()].map((name, index) => [name, opened[index] ?? null]));
  const openEvent = (ref: AggregateRef, event: StoredEvent): StoredEvent =>
    event.sealed === undefined
      ? event
      : opening(ref, event, keyOf.get(nameOf(ref.organization, event.sealed.owner)) ?? null);
  return commits.map((read) => ({
    ...read,
    commit: {
      ...read.commit,
      events: read.commit.events.map((event) => openEvent(read.ref, event)),
    },
  }));
};

const nameOf = (organization: string, owner: string): string => `${organization}/${owner}`;

const opening = (ref: AggregateRef, event: StoredEvent, key: DataKey | null): StoredEvent => {
  const { sealed, ...rest } = event;
  if (sealed === undefined) return event;
  const { fields } = sealed;
  const values =
    key?.id === sealed.key
      ? open(ref, event, { box: sealed.box, key })
      : markersOf(definitionOf(event.type), fields);
  return { ...rest, data: putText({ data: event.data, fields, values }) };
};

const open = (
  ref: AggregateRef,
  { id, type }: StoredEvent,
  { box, key }: { readonly box: string; readonly key: DataKey },
): readonly unknown[] => {
  try {
    return JSON.parse(openBox(key.secret, placeOf(ref, id), box)) as readonly unknown[];
  } catch (cause) {
    throw new DomainError("event_invalid", `The text of an event "${type}" cannot be opened.`, {
      fields: { id, type },
      cause,
    });
  }
};
