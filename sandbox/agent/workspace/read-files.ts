/** What is in the workspace: folders listed, files read in bounded slices. */
import { lstat, readdir } from "node:fs/promises";
import { DomainError } from "#contracts/errors";
import { openFileInside, openFolderInside, stablePath, type Workspace } from "./confinement.ts";

export const maxFileBytes = 1024 * 1024;
const maxEntries = 5_000;

export interface FolderEntry {
  readonly name: string;
  readonly type: "file" | "folder" | "link" | "other";
  /** Bytes; only files have one. */
  readonly size: number | null;
}

export interface FolderListing {
  readonly entries: readonly FolderEntry[];
  /** There are more than are shown. */
  readonly truncated: boolean;
}

/** @throws DomainError as `openFolderInside` does */
export const listFolder = async (workspace: Workspace, name: string): Promise<FolderListing> => {
  const folder = await openFolderInside(workspace, name);
  try {
    const here = stablePath(folder);
    const found = await readdir(here, { withFileTypes: true });
    found.sort((a, b) => (a.name < b.name ? -1 : 1));
    const entries: FolderEntry[] = [];
    for (const entry of found.slice(0, maxEntries)) {
      const type = typeOf(entry);
      const size = type === "file" ? await sizeOf(`${here}/${entry.name}`) : null;
      entries.push({ name: entry.name, type, size });
    }
    return { entries, truncated: found.length > maxEntries };
  } finally {
    await folder.handle.close();
  }
};

export interface FileSlice {
  readonly bytes: Buffer;
  /** Of the whole file, in bytes. */
  readonly size: number;
}

export interface Slice {
  readonly offset: number;
  /** At most {@link maxFileBytes}. */
  readonly limit: number;
}

/**
 * @param slice without one the file is read as a whole, and refused when it is larger than {@link maxFileBytes}
 * @throws DomainError `file_too_large`, and as `openFileInside` does
 */
export const readFileInside = async (
  workspace: Workspace,
  name: string,
  slice: Slice | null,
): Promise<FileSlice> => {
  const { handle } = await openFileInside(workspace, name);
  try {
    const { size } = await handle.stat();
    if (slice === null && size > maxFileBytes) {
      throw new DomainError(
        "file_too_large",
        `The file has ${size} bytes; ask for a part of it with offset and limit.`,
        { fields: { size, limit: maxFileBytes } },
      );
    }
    const { offset, limit } = slice ?? { offset: 0, limit: maxFileBytes };
    const buffer = Buffer.alloc(Math.max(0, Math.min(limit, size - offset)));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    return { bytes: buffer.subarray(0, bytesRead), size };
  } finally {
    await handle.close();
  }
};

const typeOf = (entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): FolderEntry["type"] => {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
};

/** Null when it has gone since the folder was listed. */
const sizeOf = (file: string): Promise<number | null> =>
  lstat(file).then(
    (stat) => stat.size,
    () => null,
  );
