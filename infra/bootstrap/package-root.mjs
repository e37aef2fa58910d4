import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that package.json is in. */
export const packageRoot = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
