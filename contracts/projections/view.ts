import { z } from "zod";
import { positionSchema } from "../position.ts";

/**
 * `unattended`: no projector has said anything of this shard for a while. `halted`: the commit that the
 * problem names cannot be projected by the program that tried.
 */
export const shardConditionSchema = z.enum(["projecting", "retrying", "halted", "unattended"]);

/**
 * How far the read models have come in one shard of the log. Shards are shared by organisations, so this
 * says which commit stopped one, and not what was in it.
 */
export const shardProgressSchema = z.object({
  shard: z.int(),
  state: shardConditionSchema,
  /** The newest commit that the read models contain, as a sequence of the shard. */
  checkpoint: z.int(),
  /** The newest commit of the log. */
  end: z.int(),
  lag: z.int(),
  problem: z
    .object({
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
    })
    .nullable(),
  /** When a projector last reported; null if none ever has. */
  reportedAt: z.iso.datetime().nullable(),
});

export const projectionStatusSchema = z.object({
  /** The read models that stand in the database, all of which share the checkpoints. */
  models: z.array(z.object({ name: z.string(), version: z.int() })),
  shards: z.array(shardProgressSchema),
  /** New tables that are being built beside these, or were begun: how much of the log they contain. */
  rebuild: z.object({ commits: z.int(), of: z.int() }).nullable(),
});
export type ProjectionStatus = z.infer<typeof projectionStatusSchema>;
