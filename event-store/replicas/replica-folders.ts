/** Where a node keeps a replica, and how that is taken out of its sight. */
import { access, mkdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { NodeReading } from "./read-node.ts";

const systemAccount = "$SYS";
const streamMetaSchema = z.object({ name: z.string() });

export interface ReplicaFolders {
  readonly stream: string;
  /** The messages. */
  readonly messages: string;
  /**
   * The replica's Raft state. It must go with the messages: its snapshot of a damaged replica lists
   * what was missing as deleted, and would delete it again at the node's next start.
   */
  readonly raft: string;
}

/** Where this node says that it keeps its replica of the stream. */
export const replicaFolders = (reading: NodeReading, stream: string): ReplicaFolders => {
  const placement = reading.placements.get(stream);
  if (placement?.raftGroup === undefined) {
    throw new DomainError(
      "prerequisite_missing",
      `${reading.node} holds no replica of ${stream} that others could restore.`,
    );
  }
  return {
    stream,
    messages: join(reading.storeDir, placement.account, "streams", stream),
    raft: join(reading.storeDir, systemAccount, "_js_", placement.raftGroup),
  };
};

/** Throws `prerequisite_missing` unless the folders are here and hold what they should. */
export const assertFoldersAreHere = async ({
  stream,
  messages,
  raft,
}: ReplicaFolders): Promise<void> => {
  try {
    const meta: unknown = JSON.parse(await readFile(join(messages, "meta.inf"), "utf8"));
    if (streamMetaSchema.parse(meta).name !== stream) {
      throw new Error(`The folder is not that of ${stream}.`);
    }
    await access(raft);
  } catch (cause) {
    throw new DomainError(
      "prerequisite_missing",
      `The replica's folder ${messages} is not to be had here: heal a replica on the host of its node.`,
      { cause },
    );
  }
};

/** What was taken away, until it is not needed any more. */
export interface SetAside {
  discard(): Promise<void>;
}

/** Moves both folders beside the store, on the same disk; the node must not run. */
export const setAside = async (
  { stream, messages, raft }: ReplicaFolders,
  storeDir: string,
): Promise<SetAside> => {
  const aside = join(dirname(storeDir), `set-aside-${stream}-${String(Date.now())}`);
  await mkdir(aside, { mode: 0o700 });
  // In this order: without its Raft state a damaged replica still shows its damage.
  await rename(raft, join(aside, "raft"));
  await rename(messages, join(aside, "messages"));
  return { discard: () => rm(aside, { recursive: true, force: true }) };
};
