/** What is said on a channel of Postgres when read models have come further. */
import { z } from "zod";

/** The channel on which every projected batch is announced. */
export const progressChannel = "projection_progress";

const announcementSchema = z.object({
  schema: z.string(),
  shard: z.int(),
  /** Where the models stand now. */
  checkpoint: z.int(),
  models: z.array(z.string()),
});
export type Announcement = z.infer<typeof announcementSchema>;

/** The SQL expression whose value `parseAnnouncement` reads, of three others. */
export const announcementSql = (shard: string, checkpoint: string, models: string): string =>
  `json_build_object('schema', current_schema(), 'shard', ${shard},
    'checkpoint', ${checkpoint}, 'models', ${models})::text`;

/** Reads an announcement. Anybody may speak on the channel: null for what is none. */
export const parseAnnouncement = (payload: string): Announcement | null => {
  try {
    return announcementSchema.safeParse(JSON.parse(payload)).data ?? null;
  } catch {
    return null;
  }
};
