/** The file in which the sidecar remembers its services. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { serviceSpecSchema, serviceStateSchema } from "./service.ts";

const storedSchema = z.object({
  version: z.literal(1),
  services: z.array(z.object({ spec: serviceSpecSchema, state: serviceStateSchema })),
});

export type StoredService = z.infer<typeof storedSchema>["services"][number];

const fileIn = (folder: string): string => path.join(folder, "services.json");

/** A file that cannot be understood is put aside: without it the sidecar still starts. */
export const readStoredServices = async (folder: string): Promise<readonly StoredService[]> => {
  const file = fileIn(folder);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return [];
  const stored = storedSchema.safeParse(parseJson(text));
  if (stored.success) return stored.data.services;
  await rename(file, `${file}.unreadable`);
  return [];
};

/** Replaces the file as a whole. Services may have secrets in their environment, so only its owner may read it. */
export const writeStoredServices = async (
  folder: string,
  services: readonly StoredService[],
): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = fileIn(folder);
  const content: z.infer<typeof storedSchema> = { version: 1, services: [...services] };
  await writeFile(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
  await rename(`${file}.new`, file);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Refused by the schema.
  }
};
