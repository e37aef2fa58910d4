/** Which part of the log is looked at: all of it, one organisation, one aggregate. */
import { type AggregateType, aggregateTypes } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import { idPrefixes } from "#contracts/ids";
import { shardOf } from "../sharding.ts";

export interface LogScope {
  readonly organization?: string | undefined;
  readonly aggregate?: AggregateSelector | undefined;
}

/** An aggregate by its id, and by its type where several types share ids. */
export interface AggregateSelector {
  readonly type: AggregateType | null;
  readonly id: string;
}

/** What may stand in a subject as one token that is no wildcard. */
const token = /^[\w-]{1,128}$/;

const refuse = (text: string, what: string): never => {
  throw new DomainError("request_malformed", `"${text}" is not ${what}.`);
};

/** Reads `ses_…` or `transcript:ses_…`. Throws `request_malformed`. */
export const parseAggregate = (text: string): AggregateSelector => {
  const [first = "", second, ...rest] = text.split(":");
  const id = second ?? first;
  const type = aggregateTypes.find((known) => known === first) ?? null;
  if (rest.length > 0 || !token.test(id) || (second !== undefined && type === null)) {
    return refuse(
      text,
      `an aggregate: write its id, or one of ${aggregateTypes.join(", ")} and it`,
    );
  }
  return { type: second === undefined ? null : type, id };
};

/** Reads the id of an organisation. Throws `request_malformed`. */
export const parseOrganization = (text: string): string =>
  token.test(text) ? text : refuse(text, "the id of an organisation");

/** The types of aggregate that have the id of their session. */
const besideSessions = ["transcript", "tool_calls"] as const;
const hasIdsOfItsOwn = (
  type: AggregateType,
): type is Exclude<AggregateType, (typeof besideSessions)[number]> =>
  !besideSessions.some((other) => other === type);

/** The type of aggregate whose ids begin like this one; null if there is none. */
export const typeOfId = (id: string): AggregateType | null =>
  aggregateTypes.filter(hasIdsOfItsOwn).find((type) => id.startsWith(`${idPrefixes[type]}_`)) ??
  null;

/** The shards that the scope can have commits in. */
export const shardsOf = ({ organization }: LogScope, shards: number): readonly number[] =>
  organization === undefined
    ? Array.from({ length: shards }, (_, shard) => shard)
    : [shardOf(organization, shards)];

/** The subjects of the scope in one shard; null for all of them. */
export const filterOf = ({ organization, aggregate }: LogScope, shard: number): string | null =>
  organization === undefined && aggregate === undefined
    ? null
    : `evt.${shard}.${organization ?? "*"}.${aggregate?.type ?? "*"}.${aggregate?.id ?? "*"}`;
