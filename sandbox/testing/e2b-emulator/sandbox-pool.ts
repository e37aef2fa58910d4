/** All sandboxes and snapshots of an emulated account. */
import { randomBytes, randomInt } from "node:crypto";
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
  /** Keeps a copy of the files; returns the name to create others from. */
  snapshot(sandbox: EmulatedSandbox): Promise<string>;
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
      await makeFolder(folder.root, { programs: {}, ports: new Map(), copyOf: sandbox.folder });
      snapshots.set(name, folder);
      return name;
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
