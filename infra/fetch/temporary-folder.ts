import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Runs `work` with a new folder below `parent` and removes it in any case. Below the cache folder,
 * what is finished can be renamed into place, so nobody ever sees half of it.
 */
export const withTemporaryFolder = async <T>(
  parent: string,
  work: (folder: string) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(join(parent, "fetching-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
