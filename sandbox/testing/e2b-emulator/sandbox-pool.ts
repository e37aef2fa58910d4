/** All sandboxes and snapshots of an emulated account. */
import { randomBytes, randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import getPort from "get-port";
import { freezeSandbox } from "../../providers/local/processes.ts";
import { startSandbox, type EmulatedSandbox } from "./emulated-sandbox.ts";
import {
  folderAt,
  makeFolder,
  removeFolder,
  type PortMap,
  type SandboxFolder,
} from "./sandbox-folder.ts";

export interface PoolOptions {
  /** Where the sandboxes' folders go. */
  readonly directory: string;
  readonly templates: readonly string[];
  /** Programs of the image: the name inside, and the file on this computer. */
  readonly programs: Readonly<Record<string, string>>;
  /** Ports inside that need one of this computer's own for each sandbox. */
  readonly ports: readonly number[];
  /**
   * Paths below the home that no snapshot has: what names processes. They all run on this computer, and one
   * sandbox would find those of another, which on machines of their own are others by the same number.
   */
  readonly namesProcesses?: readonly string[];
}

export interface NewSandbox {
  readonly template: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly envVars: Readonly<Record<string, string>>;
  readonly onTimeout: "pause" | "kill";
  readonly timeoutMs: number;
}

export interface SandboxPool {
  /** Null when there is no such template or snapshot. */
  create(request: NewSandbox): Promise<EmulatedSandbox | null>;
  get(id: string): EmulatedSandbox | undefined;
  /** Oldest first. */
  list(): readonly EmulatedSandbox[];
  /**
   * As if the computer below a sandbox failed: nobody knows it any more, and what was connected to it hears
   * nothing, not even an end.
   */
  vanish(id: string): Promise<void>;
  /** Keeps a copy of the files; returns the id to create others from. */
  snapshot(sandbox: EmulatedSandbox): Promise<string>;
  /** The ids of the snapshots that there are. */
  snapshots(): readonly string[];
  /** `held`: there are sandboxes that began with it. */
  removeSnapshot(id: string): Promise<"removed" | "absent" | "held">;
  close(): Promise<void>;
}

export const sandboxPool = (options: PoolOptions): SandboxPool => {
  const sandboxes = new Map<string, EmulatedSandbox>();
  const vanished = new Set<EmulatedSandbox>();
  const snapshots = new Map<string, SandboxFolder>();
  const newId = (prefix: string) => `${prefix}${randomBytes(8).toString("hex")}`;

  return {
    create: async (request) => {
      const copyOf = snapshots.get(request.template) ?? null;
      if (copyOf === null && !options.templates.includes(request.template)) return null;
      const id = newId("i");
      const ports = await freePorts(options.ports);
      const folder = await makeFolder(path.join(options.directory, id), {
        programs: options.programs,
        ports,
        copyOf,
      });
      const onKilled = () => void sandboxes.delete(id);
      const sandbox = startSandbox({ ...request, id, folder, ports, onKilled });
      sandboxes.set(id, sandbox);
      return sandbox;
    },
    get: (id) => sandboxes.get(id),
    list: () => [...sandboxes.values()],
    vanish: async (id) => {
      const sandbox = sandboxes.get(id);
      if (sandbox === undefined) return;
      sandboxes.delete(id);
      vanished.add(sandbox);
      await freezeSandbox(id);
    },
    snapshot: async (sandbox) => {
      const name = newId("s");
      const folder = folderAt(path.join(options.directory, name));
      const contents = { programs: {}, ports: new Map(), copyOf: sandbox.folder };
      await sandbox.standStill(async () => {
        await makeFolder(folder.root, contents);
        for (const file of options.namesProcesses ?? []) {
          await rm(path.join(folder.home, file), { recursive: true, force: true });
        }
      });
      // E2B names the template and, as with other templates, one of its tags.
      const id = `${name}:default`;
      snapshots.set(id, folder);
      return id;
    },
    snapshots: () => [...snapshots.keys()],
    removeSnapshot: async (id) => {
      const folder = snapshots.get(id);
      if (folder === undefined) return "absent";
      if ([...sandboxes.values()].some(({ template }) => template === id)) return "held";
      snapshots.delete(id);
      await removeFolder(folder);
      return "removed";
    },
    close: async () => {
      const ending = [...sandboxes.values(), ...vanished];
      await Promise.all(ending.map((sandbox) => sandbox.kill()));
      await Promise.all([...snapshots.values()].map(removeFolder));
    },
  };
};

/** Below the ranges from which Linux and local sandboxes take theirs, as they are used only later. */
const freePorts = async (inside: readonly number[]): Promise<PortMap> => {
  const ports = new Map<number, number>();
  for (const port of inside) {
    const candidates = Array.from({ length: 20 }, () => randomInt(10_001, 20_000)).filter(
      (candidate) => ![...ports.values()].includes(candidate),
    );
    ports.set(port, await getPort({ host: "127.0.0.1", port: candidates }));
  }
  return ports;
};
