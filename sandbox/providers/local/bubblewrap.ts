/** The command line that fences a program into one sandbox's folders. */
import { lstat, readlink } from "node:fs/promises";
import type { Layout } from "./layout.ts";

export interface FenceRequest {
  readonly command: string;
  readonly layout: Layout;
  /** Absolute paths outside that may be read inside, under the same name. */
  readonly readable: readonly string[];
  readonly cwd: string;
  /** Ends the program with the control plane. The agent's server is to survive it. */
  readonly dieWithParent: boolean;
}

/**
 * What to put before the program's own arguments. The environment is passed as it is, not as arguments,
 * which every user of the machine could read. The network is shared: the gateway and the model are there.
 */
export const fenceArguments = async (request: FenceRequest): Promise<[string, ...string[]]> => {
  const { layout } = request;
  return [
    request.command,
    ...[
      "--unshare-user",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-cgroup-try",
    ],
    ...[
      "--uid",
      "1000",
      "--gid",
      "1000",
      "--cap-drop",
      "ALL",
      "--hostname",
      "sandbox",
      "--new-session",
    ],
    ...(request.dieWithParent ? ["--die-with-parent"] : []),
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...(await systemFolders()),
    ...systemFiles.flatMap((file) => ["--ro-bind-try", file, file]),
    ...request.readable.flatMap((readable) => ["--ro-bind", readable, readable]),
    ...[layout.home, layout.workspace, layout.temporary].flatMap((folder) => [
      "--bind",
      folder,
      folder,
    ]),
    ...["--chdir", request.cwd, "--"],
  ];
};

/** Distributions differ in which of these are links into /usr. */
const systemFolders = async (): Promise<string[]> => {
  const folders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt"];
  const args = await Promise.all(
    folders.map(async (folder) => {
      const stat = await lstat(folder).catch(() => null); // Not every system has every one.
      if (stat === null) return [];
      if (stat.isSymbolicLink()) return ["--symlink", await readlink(folder), folder];
      return ["--ro-bind", folder, folder];
    }),
  );
  return args.flat();
};

/** Not all of /etc: it holds the machine's own secrets. */
const systemFiles = [
  "alternatives",
  "ca-certificates",
  "group",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki",
  "resolv.conf",
  "ssl",
].map((name) => `/etc/${name}`);
