/** Tells other programs on this machine, such as the CLI, where the servers of a data folder listen. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DomainError } from "#contracts/errors";

const serversSchema = z.object({ natsUrl: z.string(), databaseUrl: z.string() });
export type RunningServers = z.infer<typeof serversSchema>;

const fileOf = (dataDir: string): string => join(dataDir, "servers.json");

/** Writes down where the servers listen, for this user only. */
export const rememberServers = async (
  dataDir: string,
  { natsUrl, databaseUrl }: RunningServers,
): Promise<void> => {
  await writeFile(fileOf(dataDir), `${JSON.stringify({ natsUrl, databaseUrl })}\n`, {
    mode: 0o600,
  });
};

export const forgetServers = (dataDir: string): Promise<void> =>
  rm(fileOf(dataDir), { force: true });

/** Where the servers of the data folder listen. Throws `prerequisite_missing` when none run. */
export const findServers = async (dataDir: string): Promise<RunningServers> => {
  let text: string;
  try {
    text = await readFile(fileOf(dataDir), "utf8");
  } catch (cause) {
    throw new DomainError(
      "prerequisite_missing",
      `Nothing runs on ${dataDir}: start it with "npm start", or set NATS_URL and DATABASE_URL.`,
      { cause },
    );
  }
  return serversSchema.parse(JSON.parse(text));
};
