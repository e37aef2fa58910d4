import { createHash } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DomainError } from "#contracts/errors";

/** A socket's path may have 107 bytes (unix(7)), which a folder deep down already has. */
const longestSocketFolder = 90;

/**
 * The folder for sockets that belong into another one: that one, or if its path is too long one that stands
 * for it. Only its owner gets in.
 *
 * @param preferred exists
 * @throws DomainError `sandbox_unavailable` when somebody else has it
 */
export const socketFolder = async (preferred: string): Promise<string> => {
  if (Buffer.byteLength(preferred) <= longestSocketFolder) return preferred;
  const name = `proliferate-${createHash("sha256").update(preferred).digest("hex").slice(0, 16)}`;
  const base =
    Buffer.byteLength(path.join(tmpdir(), name)) > longestSocketFolder ? "/tmp" : tmpdir();
  const folder = path.join(base, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(folder);
  if (uid === process.getuid?.() && (mode & 0o077) === 0) return folder;
  throw new DomainError("sandbox_unavailable", `${folder} belongs to somebody else.`);
};
