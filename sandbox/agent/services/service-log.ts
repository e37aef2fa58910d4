/**
 * What a service has printed, in at most two files: the current one, which the service itself appends to, and
 * the one before. When the current one is large enough it is copied away and emptied, as logrotate's
 * `copytruncate` does: the service keeps it open and knows nothing of it. Lines that are printed between
 * the copy and the emptying are lost.
 */
import {
  copyFile,
  mkdir,
  open,
  readdir,
  rm,
  stat,
  truncate,
  type FileHandle,
} from "node:fs/promises";
import path from "node:path";
import pLimit from "p-limit";

/** A place in the log that stays the same when the log is rotated. */
export interface LogCursor {
  /** Counts rotations. */
  readonly generation: number;
  /** Bytes. */
  readonly offset: number;
}

export interface LogPiece {
  /** Where the bytes begin: what was asked for, or the oldest there is. */
  readonly start: LogCursor;
  /** Empty at the end of the log. */
  readonly bytes: Buffer;
  readonly next: LogCursor;
  /** What was asked for is gone; the piece begins at the oldest there is. */
  readonly gap: boolean;
}

export interface ServiceLog {
  /** For the service's output; every write goes to the end. */
  openForAppend(): Promise<FileHandle>;
  /** Adds a line of the sidecar's own. */
  note(line: string): Promise<void>;
  /** Where the next line will begin. */
  end(): Promise<LogCursor>;
  /** Where the last so many lines begin. */
  tail(lines: number): Promise<LogCursor>;
  read(from: LogCursor): Promise<LogPiece>;
  rotateIfLarge(): Promise<void>;
}

export interface ServiceLogOptions {
  readonly folder: string;
  readonly name: string;
  /** Of one file. */
  readonly maxBytes: number;
}

const pieceBytes = 64 * 1024;
const tailBytes = 256 * 1024;

export const openServiceLog = async (options: ServiceLogOptions): Promise<ServiceLog> => {
  const { folder, name, maxBytes } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const current = path.join(folder, `${name}.log`);
  const rotated = (generation: number) => path.join(folder, `${name}.log.${generation}`);
  // If this process died between copying and emptying, some lines are there twice: better than not at all.
  let generation = Math.max(0, ...(await rotatedGenerations(folder, name))) + 1;
  // Reading and rotating take turns, so that nobody reads a new file at an old file's offset.
  const turn = pLimit(1);

  const openForAppend = () => open(current, "a", 0o600);
  const fileOf = (wanted: number) => (wanted === generation ? current : rotated(wanted));

  const locate = async (from: LogCursor): Promise<{ start: LogCursor; gap: boolean }> => {
    const size = await sizeOf(fileOf(from.generation));
    const isThere = from.generation === generation || from.generation === generation - 1;
    if (isThere && size !== null && from.offset <= size) return { start: from, gap: false };
    const previousIsThere = (await sizeOf(rotated(generation - 1))) !== null;
    const oldest = previousIsThere ? generation - 1 : generation;
    // A log that has never been written to is empty, which is no gap.
    const gap = from.generation !== generation || from.offset > 0;
    return { start: { generation: oldest, offset: 0 }, gap };
  };

  const read = async (from: LogCursor): Promise<LogPiece> => {
    const { start, gap } = await locate(from);
    const bytes = await readPiece(fileOf(start.generation), start.offset, pieceBytes);
    if (bytes.length === 0 && start.generation < generation) {
      const piece = await read({ generation, offset: 0 });
      return { ...piece, gap: gap || piece.gap };
    }
    return { start, bytes, next: { ...start, offset: start.offset + bytes.length }, gap };
  };

  const end = async (): Promise<LogCursor> => ({
    generation,
    offset: (await sizeOf(current)) ?? 0,
  });

  const tail = async (lines: number): Promise<LogCursor> => {
    if (lines === 0) return end();
    const here = await lastLines(current, lines);
    if (here.found >= lines || here.offset > 0) return { generation, offset: here.offset };
    const before = await lastLines(rotated(generation - 1), lines - here.found);
    if (before.found === 0) return { generation, offset: 0 };
    return { generation: generation - 1, offset: before.offset };
  };

  const rotate = async () => {
    if (((await sizeOf(current)) ?? 0) <= maxBytes) return;
    await copyFile(current, rotated(generation));
    await truncate(current, 0);
    await rm(rotated(generation - 1), { force: true });
    generation += 1;
  };

  return {
    openForAppend,
    note: async (line) => {
      await using file = await openForAppend();
      await file.write(`[proliferate] ${line}\n`);
    },
    end: () => turn(end),
    tail: (lines) => turn(() => tail(lines)),
    read: (from) => turn(() => read(from)),
    rotateIfLarge: () => turn(rotate),
  };
};

const rotatedGenerations = async (folder: string, name: string): Promise<number[]> =>
  (await readdir(folder))
    .filter((file) => file.startsWith(`${name}.log.`))
    .map((file) => Number(file.slice(`${name}.log.`.length)))
    .filter(Number.isInteger);

/** Null when there is no such file. */
const sizeOf = (file: string): Promise<number | null> =>
  stat(file).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    },
  );

const readPiece = async (file: string, offset: number, length: number): Promise<Buffer> => {
  if ((await sizeOf(file)) === null) return Buffer.alloc(0);
  await using handle = await open(file, "r");
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
};

/** Where the last so many lines of a file begin, and how many of them there are within `tailBytes`. */
const lastLines = async (
  file: string,
  lines: number,
): Promise<{ found: number; offset: number }> => {
  const size = (await sizeOf(file)) ?? 0;
  const from = Math.max(0, size - tailBytes);
  const bytes = await readPiece(file, from, tailBytes);
  let found = 0;
  // The last line's own end is not counted: it begins after the line break before it.
  for (let at = bytes.length - 2; at >= 0 && found < lines; at -= 1) {
    if (bytes[at] !== newline) continue;
    found += 1;
    if (found === lines) return { found, offset: from + at + 1 };
  }
  if (from === 0) return { found: bytes.length === 0 ? 0 : found + 1, offset: 0 };
  return { found, offset: from + bytes.indexOf(newline) + 1 };
};

const newline = 0x0a;
