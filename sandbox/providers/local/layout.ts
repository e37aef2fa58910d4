/** The folders of one local sandbox. */
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { DomainError } from "#contracts/errors";
import { idSchema, type SessionId } from "#contracts/ids";

export interface Layout {
  readonly root: string;
  /** The agent's; the same absolute path inside and outside, so that isolation can be switched. */
  readonly home: string;
  readonly workspace: string;
  readonly temporary: string;
  /** The provider's own: the record of the running server and its log. Not visible inside. */
  readonly run: string;
  /** Names the sandbox in the environment of all its processes; different for each data folder. */
  readonly id: string;
}

export const sandboxesFolder = (dataDir: string): string =>
  path.join(path.resolve(dataDir), "sandboxes");

export const snapshotsFolder = (dataDir: string): string =>
  path.join(path.resolve(dataDir), "snapshots");

export const layoutOf = (dataDir: string, sessionId: SessionId): Layout => {
  if (!/^[A-Za-z0-9_-]+$/.test(sessionId)) {
    throw new DomainError("request_invalid", "A session id has only letters, digits, - and _.");
  }
  const root = path.join(sandboxesFolder(dataDir), sessionId);
  const folder = (name: string) => path.join(root, name);
  const id = `local-${sessionId}-${createHash("sha256").update(root).digest("hex").slice(0, 8)}`;
  return {
    root,
    id,
    home: folder("home"),
    workspace: folder("workspace"),
    temporary: folder("tmp"),
    run: folder("run"),
  };
};

/** @returns null for something that is not a sandbox's folder */
export const sessionOfFolder = (name: string): SessionId | null =>
  idSchema("session").safeParse(name).data ?? null;

export const makeFolders = async (layout: Layout): Promise<void> => {
  for (const folder of [layout.root, layout.home, layout.workspace, layout.temporary, layout.run]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
};
