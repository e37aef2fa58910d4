import { createHash } from "node:crypto";
import type { AggregateRef, AggregateType } from "#contracts/commit";
import { aggregateTypes } from "#contracts/commit";
import { DomainError } from "#contracts/errors";

/** The shard of an organisation: all of its commits stand in one stream, in order. */
export const shardOf = (organization: string, shards: number): number =>
  createHash("sha256").update(organization).digest().readUInt32BE(0) % shards;

/** The name of the stream of a shard. */
export const streamOf = (shard: number): string => `EVENTS_${shard}`;

/** The literal subject of an aggregate, for example `evt.0.org_7Q….session.ses_01J…`. */
export const subjectOf = ({ organization, aggregate, id }: AggregateRef, shards: number): string =>
  `evt.${shardOf(organization, shards)}.${organization}.${aggregate}.${id}`;

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
