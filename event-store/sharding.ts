import { hash } from "node:crypto";
import type { AggregateRef, AggregateType } from "#contracts/commit";
import { aggregateTypes } from "#contracts/commit";
import { DomainError } from "#contracts/errors";

/** The shard of an organisation: all of its commits stand in one stream, in order. */
export const shardOf = (organization: string, shards: number): number =>
  shards === 1 ? 0 : hash("sha256", organization, "buffer").readUInt32BE(0) % shards;

/** The name of the stream of a shard. */
export const streamOf = (shard: number): string => `EVENTS_${shard}`;

/** The literal subject of an aggregate, for example `evt.0.org_7Q….session.ses_01J…`. */
export const subjectOf = (ref: AggregateRef, shards: number): string =>
  subjectIn(shardOf(ref.organization, shards), ref);

/** The same, where the shard is known. */
export const subjectIn = (shard: number, { organization, aggregate, id }: AggregateRef): string =>
  `evt.${shard}.${organization}.${aggregate}.${id}`;

const isAggregateType = (text: string | undefined): text is AggregateType =>
  aggregateTypes.some((type) => type === text);

/** The aggregate that a subject names. Throws `event_unknown` for a subject that is none of ours. */
export const parseSubject = (subject: string): AggregateRef => {
  const [prefix, , organization, aggregate, id, ...rest] = subject.split(".");
  if (prefix !== "evt" || !organization || !isAggregateType(aggregate) || !id || rest.length > 0) {
    throw new DomainError("event_unknown", `"${subject}" is not the subject of an aggregate.`, {
      fields: { subject },
    });
  }
  return { organization, aggregate, id };
};

/** The shard that the subject of an aggregate names. */
export const shardIn = (subject: string): number =>
  Number(subject.slice("evt.".length, subject.indexOf(".", "evt.".length)));
