/** Names what is baked into a base snapshot: another key means that the snapshot is out of date. */
import { createHash } from "node:crypto";

/**
 * @param parts every file and setting that ends up in the snapshot, by name; the order does not matter
 * @returns 64 hex digits, the same for the same parts on every machine
 */
export const versionKey = (parts: Readonly<Record<string, string | Uint8Array>>): string => {
  const hash = createHash("sha256");
  // By code unit and not by locale, which differs between machines.
  const names = Object.keys(parts).sort();
  for (const name of names) {
    for (const part of [name, parts[name] ?? ""]) {
      const bytes = Buffer.from(part);
      // The lengths keep ("ab", "c") and ("a", "bc") apart.
      hash.update(`${bytes.length}:`).update(bytes);
    }
  }
  return hash.digest("hex");
};
