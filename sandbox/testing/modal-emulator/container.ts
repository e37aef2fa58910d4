/**
 * What stands for a container: a folder, and every process of this computer that carries the sandbox's mark.
 *
 * Nothing is isolated. `$HOME`, `$TMPDIR` and the image's programs are inside the folder; any other absolute
 * path is this computer's. A port of the container is another port of the loopback interface, which the
 * image's programs are told of by `EMULATED_PORT_<port>` (see `images.ts`).
 */
import { execFile } from "node:child_process";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { ServerError, Status } from "nice-grpc";
import {
  endSandboxProcesses,
  freezeSandbox,
  markerVariable,
  thawSandbox,
} from "../../providers/local/processes.ts";
import { startExec, type EmulatedExec } from "./emulated-exec.ts";

export interface Container {
  readonly root: string;
  readonly home: string;
  /** The container's ports and where they really are. */
  readonly ports: ReadonlyMap<number, number>;
  /** The image's environment, the sandbox's over it, and the caller's over both. */
  environment(more?: Readonly<Record<string, string>>): Record<string, string>;
  /** @throws ServerError NOT_FOUND once it is being removed */
  start(command: ContainerCommand): EmulatedExec;
  /** While it runs, no process of the container does. */
  frozen<T>(work: () => Promise<T>): Promise<T>;
  /** Stops every process where it is, and gives its place to another container. */
  abandon(): Promise<void>;
  /** Ends every process and removes the folder. */
  remove(): Promise<void>;
}

export interface ContainerCommand {
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutSecs: number | undefined;
}

export interface ContainerOptions {
  readonly sandboxId: string;
  readonly root: string;
  readonly ports: ReadonlyMap<number, number>;
  /** What the sandbox was created with. */
  readonly env: Readonly<Record<string, string>>;
}

export const homeOf = (root: string): string => path.join(root, "home", "user");

/** Copies a container's or an image's folder as a whole, with links, modes and times as they are. */
export const copyFolder = async (from: string, to: string): Promise<void> => {
  await mkdir(path.dirname(to), { recursive: true });
  await promisify(execFile)("cp", [
    "-a",
    "--reflink=auto",
    // Into an existing folder it would go as a folder of its own.
    "--no-target-directory",
    "--",
    from,
    to,
  ]);
};

export const openContainer = (options: ContainerOptions): Container => {
  const { root, sandboxId, ports } = options;
  const home = homeOf(root);
  let removed = false;

  const environment: Container["environment"] = (more = {}) => ({
    LANG: "C.UTF-8",
    PATH: [
      path.join(root, "bin"),
      path.dirname(process.execPath),
      "/usr/local/bin:/usr/bin:/bin",
    ].join(":"),
    HOME: home,
    TMPDIR: path.join(root, "tmp"),
    ...options.env,
    ...more,
    [markerVariable]: sandboxId,
    ...Object.fromEntries(
      [...ports].map(([port, real]) => [`EMULATED_PORT_${port}`, String(real)]),
    ),
  });

  return {
    root,
    home,
    ports,
    environment,
    start: ({ argv, cwd, env, timeoutSecs }) => {
      // What began now would outlive it, and write where the next one of the name is about to be.
      if (removed) throw new ServerError(Status.NOT_FOUND, "The sandbox has ended.");
      return startExec({ argv, cwd: cwd ?? home, env: environment(env), timeoutSecs });
    },
    frozen: async (work) => {
      await freezeSandbox(sandboxId);
      try {
        return await work();
      } finally {
        await thawSandbox(sandboxId);
      }
    },
    abandon: async () => {
      removed = true;
      await freezeSandbox(sandboxId);
      await rename(root, `${root}-${sandboxId}`);
    },
    remove: async () => {
      removed = true;
      // A container's processes get no time to say goodbye: it is gone at once.
      await endSandboxProcesses(sandboxId, { graceMs: 0, timeoutMs: 30_000 });
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
