/**
 * A commit: the outcome of one command on one aggregate, stored as one JetStream message.
 */
import { z } from "zod";
import { actorSchema } from "./actor.ts";
import { sealedSchema } from "./erasure/sealed.ts";
import { idSchema } from "./ids.ts";

/** No commit may be larger than this, in bytes of its JSON; larger content is stored elsewhere. */
export const maxCommitBytes = 512 * 1024;

/** The same for one whose text is sealed, which takes a third more. */
export const maxSealedCommitBytes = 1.5 * maxCommitBytes;

/** The hash that the first commit of an aggregate names as its predecessor. */
export const genesisHash = "0".repeat(64);

export const aggregateTypes = [
  "session",
  "transcript",
  "invocation",
  "policy",
  "integration",
  "connector",
  "rule",
  "trigger",
  "run",
  "tool_calls",
  "configuration",
  "organization",
  "service_token",
] as const;
export type AggregateType = (typeof aggregateTypes)[number];

export const storedEventSchema = z.object({
  id: idSchema("event"),
  type: z.string().min(1).max(64),
  /** The version of the shape of `data`. */
  v: z.int().positive(),
  data: z.record(z.string(), z.unknown()),
  /** The rest of the data, if it is text; only in the log, never in an event that was read from it. */
  sealed: sealedSchema.optional(),
});
export type StoredEvent = z.infer<typeof storedEventSchema>;

export const commitMetaSchema = z.object({
  commandId: z.string().min(1).max(160),
  /** The event or command that led to this one; null at the start of a chain of causes. */
  causationId: z.string().max(160).nullable(),
  /** The same for everything that one request or delivery has led to. */
  correlationId: z.string().min(1).max(160),
  actor: actorSchema,
  /** When the command was decided, as an ISO 8601 instant in UTC. */
  at: z.iso.datetime(),
  /** SHA-256, in hex, of the bytes of the aggregate's previous commit; `genesisHash` for the first. */
  prev: z.string().regex(/^[0-9a-f]{64}$/),
});
export type CommitMeta = z.infer<typeof commitMetaSchema>;

export const commitSchema = z.object({
  v: z.literal(1),
  events: z.array(storedEventSchema).min(1),
  meta: commitMetaSchema,
});
export type Commit = z.infer<typeof commitSchema>;

/** Names one aggregate: the organisation that owns it, its type, and its id. */
export interface AggregateRef {
  readonly organization: string;
  readonly aggregate: AggregateType;
  readonly id: string;
}
