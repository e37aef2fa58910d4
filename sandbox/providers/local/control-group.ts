/**
 * Limits on what one sandbox may use, by Linux control groups (version 1 or 2). Resource limits of single
 * processes are no substitute: agents start many, and OpenCode reserves far more address space than it uses.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Argv } from "../../provider/exec.ts";

export interface SandboxLimits {
  /** Bytes, for all processes of a sandbox together; the kernel ends one of them beyond it. */
  readonly memoryBytes: number;
  /** Processes and threads together. */
  readonly processes: number;
}

export interface ControlGroups {
  /** Puts a program, and what it starts, into the sandbox's group: the command line that does so. */
  enter(sandboxId: string, argv: Argv): Promise<Argv>;
  /** After the sandbox's processes have ended. */
  remove(sandboxId: string): Promise<void>;
}

interface Hierarchy {
  readonly folder: string;
  readonly limits: (limits: SandboxLimits) => Readonly<Record<string, string>>;
}

const root = "/sys/fs/cgroup";

const versionOne: readonly Hierarchy[] = [
  {
    folder: `${root}/memory/proliferate`,
    limits: ({ memoryBytes }) => ({ "memory.limit_in_bytes": String(memoryBytes) }),
  },
  {
    folder: `${root}/pids/proliferate`,
    limits: ({ processes }) => ({ "pids.max": String(processes) }),
  },
];

const versionTwo: readonly Hierarchy[] = [
  {
    folder: `${root}/proliferate`,
    limits: ({ memoryBytes, processes }) => ({
      "memory.max": String(memoryBytes),
      "pids.max": String(processes),
    }),
  },
];

/** Null where this process may not make control groups; only a real attempt tells. */
export const openControlGroups = async (limits: SandboxLimits): Promise<ControlGroups | null> => {
  for (const hierarchies of [versionOne, versionTwo]) {
    const groups = groupsIn(hierarchies, limits);
    const probe = `probe-${randomUUID()}`;
    try {
      if (hierarchies === versionTwo) await delegate();
      await groups.enter(probe, ["true"]);
      await groups.remove(probe);
      return groups;
    } catch {
      // Not this version, or not allowed here: the next one, or none.
    }
  }
  return null;
};

const groupsIn = (hierarchies: readonly Hierarchy[], limits: SandboxLimits): ControlGroups => ({
  enter: async (sandboxId, argv) => {
    const groups: string[] = [];
    for (const hierarchy of hierarchies) {
      const group = path.join(hierarchy.folder, sandboxId);
      await mkdir(group, { recursive: true });
      for (const [file, value] of Object.entries(hierarchy.limits(limits))) {
        // The kernel makes these files with the folder; anything else must not look like a limit.
        await writeFile(path.join(group, file), value, { flag: "r+" });
      }
      groups.push(path.join(group, "cgroup.procs"));
    }
    return ["sh", "-c", enterScript, "sh", String(groups.length), ...groups, ...argv];
  },
  remove: async (sandboxId) => {
    for (const { folder } of hierarchies) {
      await removeGroup(path.join(folder, sandboxId));
    }
  },
});

/** It enters before it becomes the program, so that nothing the program starts is outside. */
const enterScript = `
count=$1; shift
while [ "$count" -gt 0 ]; do echo $$ > "$1" || exit 126; shift; count=$((count - 1)); done
exec "$@"`;

/** Children of a group have a limit only if the group hands the controller on. */
const delegate = async (): Promise<void> => {
  const controllers = await readFile(`${root}/cgroup.controllers`, "utf8");
  if (!/\bmemory\b/.test(controllers) || !/\bpids\b/.test(controllers)) {
    throw new Error("The controllers for memory and processes are not there.");
  }
  await writeFile(`${root}/cgroup.subtree_control`, "+memory +pids", { flag: "r+" });
  await mkdir(`${root}/proliferate`, { recursive: true });
  await writeFile(`${root}/proliferate/cgroup.subtree_control`, "+memory +pids", { flag: "r+" });
};

/** The kernel lets go of ended processes a moment later, and calls the group busy until then. */
const removeGroup = async (group: string): Promise<void> => {
  for (let patience = 250; ; patience -= 1) {
    try {
      await rmdir(group);
      return;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      if (code === "ENOENT") return;
      if (code !== "EBUSY" || patience === 0) throw error;
      await delay(20);
    }
  }
};
