import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const fileIn = (dataDir: string): string => join(dataDir, "secrets.key");

/**
 * The key of a data folder: made at the first start, readable by its owner only, and the same ever
 * after. Two first starts at once agree on one of the two.
 */
export const keptSecretsKey = async (dataDir: string): Promise<string> => {
  const file = fileIn(dataDir);
  await mkdir(dataDir, { recursive: true });
  try {
    await writeFile(file, `${randomBytes(32).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
  }
  return (await readFile(file, "utf8")).trim();
};

/** The key of a data folder if it has one; null if nothing was ever started there. */
export const findSecretsKey = async (dataDir: string): Promise<string | null> => {
  try {
    return (await readFile(fileIn(dataDir), "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
};
