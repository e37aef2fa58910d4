/**
 * Snapshots of local sandboxes: copies of home and workspace below the data folder, which share their
 * blocks with the original where the file system can do that. What is in the `run` folder (passwords,
 * process ids) is never part of one.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { ulid } from "ulid";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { idSchema, type SessionId } from "#contracts/ids";
import type { SnapshotEntry } from "../../provider/provider.ts";
import { makeFolders, snapshotsFolder, type Layout } from "./layout.ts";
import { runProcess } from "./run-process.ts";

const copyTimeoutMs = 10 * 60_000;
const snapshotIdPattern = /^snap-[0-9A-HJKMNP-TV-Z]{26}$/;

const descriptionSchema = z.object({
  version: z.literal(1),
  sessionId: idSchema("session"),
  createdAt: z.number(),
});

export interface SnapshotStore {
  /** The sandbox's files must not change meanwhile. */
  take(layout: Layout, sessionId: SessionId): Promise<string>;
  /**
   * Puts the files of a snapshot in place of the sandbox's own.
   * @throws DomainError `sandbox_snapshot_not_found`, and the sandbox's own files are as they were
   */
  restore(snapshotId: string, layout: Layout): Promise<void>;
  list(): Promise<readonly SnapshotEntry[]>;
  remove(snapshotId: string): Promise<void>;
}

export const openSnapshotStore = (dataDir: string): SnapshotStore => {
  const folder = snapshotsFolder(dataDir);
  const placeOf = (snapshotId: string): string => {
    if (!snapshotIdPattern.test(snapshotId)) throw notFound(snapshotId);
    return path.join(folder, snapshotId);
  };

  /** Null for one that was removed since the folder was read. */
  const describe = async (snapshotId: string): Promise<SnapshotEntry | null> => {
    const file = path.join(placeOf(snapshotId), "snapshot.json");
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (text === null) return null;
    const { sessionId, createdAt } = descriptionSchema.parse(JSON.parse(text));
    return { snapshotId, sessionId, createdAt };
  };

  return {
    take: async (layout, sessionId) => {
      const snapshotId = `snap-${ulid()}`;
      // In the sandbox's own folder, where the next snapshot or the end of the sandbox clears what a
      // crash has left of it.
      const draft = path.join(layout.root, "snapshot.draft");
      await rm(draft, { recursive: true, force: true });
      await mkdir(draft, { mode: 0o700 });
      const description = { version: 1, sessionId, createdAt: Date.now() };
      await writeFile(path.join(draft, "snapshot.json"), JSON.stringify(description));
      await copyTrees([layout.home, layout.workspace], draft);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await rename(draft, placeOf(snapshotId));
      return snapshotId;
    },
    restore: async (snapshotId, layout) => {
      const source = placeOf(snapshotId);
      await stat(source).catch(() => {
        throw notFound(snapshotId);
      });
      await makeFolders(layout);
      const draft = path.join(layout.root, "restore.draft");
      await rm(draft, { recursive: true, force: true });
      await mkdir(draft, { mode: 0o700 });
      await copyTrees([path.join(source, "home"), path.join(source, "workspace")], draft);
      // The home comes last: the mark of a filled workspace is in it.
      for (const [name, place] of [
        ["workspace", layout.workspace],
        ["home", layout.home],
      ] as const) {
        await rm(place, { recursive: true, force: true });
        await rename(path.join(draft, name), place);
      }
      await rm(draft, { recursive: true, force: true });
    },
    list: async () => {
      const names = await readdir(folder).catch(() => []); // No folder: no snapshots.
      const found = await Promise.all(
        names.filter((name) => snapshotIdPattern.test(name)).map(describe),
      );
      return found.filter((entry) => entry !== null);
    },
    remove: async (snapshotId) => {
      if (!snapshotIdPattern.test(snapshotId)) return;
      const place = placeOf(snapshotId);
      // Out of the list first: a removal that is cut off leaves nothing that looks whole.
      const doomed = `${place}.removed`;
      await rename(place, doomed).catch((error: NodeJS.ErrnoException) => {
        // Absent, or moved by a removal before; anything else would leave it where it is.
        if (error.code !== "ENOENT") throw error;
      });
      await rm(doomed, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

/** Node's own copy knows no sharing of blocks for whole trees and rewrites links; `cp` does it right. */
const copyTrees = async (sources: readonly string[], target: string): Promise<void> => {
  const result = await runProcess({
    argv: ["cp", "--archive", "--reflink=auto", "--", ...sources, target],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LANG: "C" },
    timeoutMs: copyTimeoutMs,
    maxOutputBytes: 10_000,
  });
  if (result.exitCode !== 0) {
    throw new DomainError(
      "sandbox_unavailable",
      `The files of a sandbox could not be copied: ${result.stderr.toString().trim()}`,
    );
  }
};

const notFound = (snapshotId: string): DomainError =>
  new DomainError("sandbox_snapshot_not_found", "There is no such snapshot.", {
    fields: { snapshotId },
  });
