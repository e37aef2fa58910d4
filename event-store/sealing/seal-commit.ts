import type { AggregateRef, StoredEvent } from "#contracts/commit";
import { markersOf, putText, takeText } from "#contracts/erasure/text-fields";
import { definitionOf } from "#contracts/event-registry";
import { sealBox } from "./box.ts";
import type { DataKey, DataKeys } from "./data-keys.ts";

/** The place of an event's text: a box that was copied to another event does not open there. */
export const placeOf = ({ organization, aggregate, id }: AggregateRef, event: string): string =>
  JSON.stringify([organization, aggregate, id, event]);

/**
 * The commit as it is stored: the text of its events is sealed with the owner's key. Where that was
 * erased, the text is left out, and its markers stand in its place.
 *
 * @throws DomainError `log_unavailable` while the keys cannot be read
 */
export const sealCommit = async <T extends { readonly events: readonly StoredEvent[] }>(
  keys: DataKeys | null,
  { ref, owner }: { readonly ref: AggregateRef; readonly owner: string },
  commit: T,
): Promise<T> => {
  if (keys === null || !commit.events.some(hasText)) return commit;
  const key = await keys.toSeal({ organization: ref.organization, owner });
  const seal = (event: StoredEvent): StoredEvent =>
    key === null ? withMarkers(event) : sealEvent(event, { ref, owner, key });
  return {
    ...commit,
    events: commit.events.map((event) => (hasText(event) ? seal(event) : event)),
  };
};

/** Whether an event can hold text. */
const hasText = ({ type }: StoredEvent): boolean =>
  Object.keys(definitionOf(type).erased).length > 0;

const sealEvent = (
  event: StoredEvent,
  {
    ref,
    owner,
    key,
  }: { readonly ref: AggregateRef; readonly owner: string; readonly key: DataKey },
): StoredEvent => {
  const { data, fields, values } = takeText(definitionOf(event.type), event.data);
  if (fields.length === 0) return event;
  const box = sealBox(key.secret, placeOf(ref, event.id), JSON.stringify(values));
  return { ...event, data, sealed: { v: 1, owner, key: key.id, fields: [...fields], box } };
};

const withMarkers = (event: StoredEvent): StoredEvent => {
  const definition = definitionOf(event.type);
  const taken = takeText(definition, event.data);
  return { ...event, data: putText({ ...taken, values: markersOf(definition, taken.fields) }) };
};
