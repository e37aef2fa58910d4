/**
 * A quick look at a commit that was read. Zod takes longer for a commit than its JSON does, mostly to make a
 * copy of it without whatever is not in the schema; almost every commit has nothing of the kind.
 */
import { actorSchema } from "#contracts/actor";
import type { Commit } from "#contracts/commit";
import { sealedSchema } from "#contracts/erasure/sealed";
import { z } from "zod";

type Fields = Readonly<Record<string, unknown>>;

const eventId = /^evt_[0-9A-HJKMNP-TV-Z]{26}$/;
const instant = z.regexes.datetime({});
const sha256 = /^[0-9a-f]{64}$/;
const actorKinds: ReadonlySet<unknown> = new Set(actorSchema.shape.kind.options);

/**
 * Whether parsed JSON is what `commitSchema` would answer for it, without a field more. False says nothing:
 * the schema itself has to be asked, which also knows what is wrong.
 */
export const isPlainCommit = (value: unknown): value is Commit =>
  isObject(value) &&
  value.v === 1 &&
  Array.isArray(value.events) &&
  value.events.length > 0 &&
  value.events.every(isPlainEvent) &&
  isPlainMeta(value.meta) &&
  hasFields(value, 3);

const isPlainEvent = (event: unknown): boolean =>
  isObject(event) &&
  matches(event.id, eventId) &&
  isText(event.type, 1, 64) &&
  Number.isSafeInteger(event.v) &&
  (event.v as number) > 0 &&
  isObject(event.data) &&
  // the schema drops a field of this name
  !Object.hasOwn(event.data, "__proto__") &&
  (event.sealed === undefined
    ? hasFields(event, 4)
    : hasFields(event, 5) && sealedSchema.safeParse(event.sealed).success);

const isPlainMeta = (meta: unknown): boolean =>
  isObject(meta) &&
  isText(meta.commandId, 1, 160) &&
  (meta.causationId === null || isText(meta.causationId, 0, 160)) &&
  isText(meta.correlationId, 1, 160) &&
  isPlainActor(meta.actor) &&
  matches(meta.at, instant) &&
  matches(meta.prev, sha256) &&
  hasFields(meta, 6);

const isPlainActor = (actor: unknown): boolean =>
  isObject(actor) &&
  actorKinds.has(actor.kind) &&
  isText(actor.id, 1, 128) &&
  isText(actor.via, 1, 64) &&
  hasFields(actor, 3);

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown, least: number, most: number): boolean =>
  typeof value === "string" && value.length >= least && value.length <= most;

const matches = (value: unknown, pattern: RegExp): boolean =>
  typeof value === "string" && pattern.test(value);

/** Whether parsed JSON has so many fields; a list of their names would only be thrown away. */
const hasFields = (value: Fields, count: number): boolean => {
  let found = 0;
  for (const _name in value) found += 1;
  return found === count;
};
