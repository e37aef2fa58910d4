import { z } from "zod";
import { positionSchema } from "../position.ts";

/**
 * `unattended`: no projector has said anything of this read model for a while. `halted`: the commit that
 * the problem names cannot be projected by the program that tried.
 */
export const projectionStateSchema = z.enum(["projecting", "retrying", "halted", "unattended"]);

/** Shards are shared by organisations, so this says which commit stopped one, and not what was in it. */
const problemSchema = z.object({
  code: z.string(),
  /** Null when no single commit is at fault. */
  commit: z
    .object({
      position: positionSchema,
      /** `type/id`; null for a message that is no commit. */
      aggregate: z.string().nullable(),
      eventTypes: z.array(z.string()).readonly(),
    })
    .nullable(),
});

/** How far a read model has come in one shard of the log. */
const shardProgressSchema = z.object({
  shard: z.int(),
  state: projectionStateSchema,
  /** The newest commit that the read model contains, as a sequence of the shard. */
  checkpoint: z.int(),
  /** The newest commit of the log. */
  end: z.int(),
  lag: z.int(),
  problem: problemSchema.nullable(),
  /** When a projector last reported; null if none ever has. */
  reportedAt: z.iso.datetime().nullable(),
});

export const readModelStatusSchema = z.object({
  name: z.string(),
  version: z.int(),
  shards: z.array(shardProgressSchema),
  /** New tables that are being built beside the serving ones, or were begun. */
  rebuild: z.object({ version: z.int(), shards: z.array(shardProgressSchema) }).nullable(),
});

export const projectionStatusSchema = z.object({ models: z.array(readModelStatusSchema) });
export type ProjectionStatus = z.infer<typeof projectionStatusSchema>;
