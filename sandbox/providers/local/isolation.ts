/** Decides once, by trying, whether bubblewrap works on this machine. */
import { DomainError } from "#contracts/errors";
import { runProcess } from "./run-process.ts";

/** `auto`: bubblewrap where it works. `bubblewrap`: nothing else will do. */
export type IsolationChoice = "auto" | "bubblewrap" | "none";

export type Isolation =
  | { readonly kind: "bubblewrap"; readonly command: string }
  | { readonly kind: "none"; readonly reason: string };

export interface IsolationProbe {
  readonly choice: IsolationChoice;
  /** The program's name or path. */
  readonly command: string;
  /** Where to look for programs. */
  readonly searchPath: string;
}

/** @throws DomainError `prerequisite_missing` if bubblewrap is demanded and does not work */
export const probeIsolation = async (probe: IsolationProbe): Promise<Isolation> => {
  if (probe.choice === "none") return { kind: "none", reason: "switched off" };
  const problem = await tryBubblewrap(probe);
  if (problem === null) return { kind: "bubblewrap", command: probe.command };
  if (probe.choice === "bubblewrap") {
    throw new DomainError(
      "prerequisite_missing",
      `Bubblewrap does not work here (${problem}); install the package "bubblewrap" or choose no isolation.`,
    );
  }
  return { kind: "none", reason: problem };
};

/** Containers and some kernels forbid user namespaces, so only a real attempt tells. */
const tryBubblewrap = async ({ command, searchPath }: IsolationProbe): Promise<string | null> => {
  const flags = [
    "--unshare-user",
    "--unshare-pid",
    "--uid",
    "1000",
    "--gid",
    "1000",
    "--cap-drop",
    "ALL",
  ];
  try {
    const result = await runProcess({
      argv: [command, ...flags, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"],
      cwd: "/",
      env: { PATH: searchPath },
      timeoutMs: 10_000,
      maxOutputBytes: 10_000,
    });
    return result.exitCode === 0
      ? null
      : result.stderr.toString().trim() || `exit code ${result.exitCode}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
