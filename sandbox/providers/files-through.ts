/**
 * File access through programs that run inside the fence. Opening the files from outside would follow links
 * that the agent made, out of its sandbox.
 */
import { DomainError } from "#contracts/errors";
import type { ExecResult, SandboxFiles } from "../provider/exec.ts";
import type { ProcessCommand, ProcessResult } from "./local/run-process.ts";

type Run = (command: Omit<ProcessCommand, "cwd" | "env">) => Promise<ProcessResult>;

const limits = { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 * 1024 };

/** No program that ends by itself answers this, neither a shell nor `cat`. */
const noSuchFile = 44;
const readScript = `[ -e "$1" ] || exit ${noSuchFile}; exec cat -- "$1"`;

/** Writes beside the file and renames, so that nobody reads half of it. */
const writeScript = `set -e
[ -d "\${1%/*}" ] || mkdir -p -- "\${1%/*}"
draft="$1.$$.draft"
cat > "$draft"
chmod "$2" "$draft"
mv -f -- "$draft" "$1"`;

export const filesThrough = (run: Run): SandboxFiles => ({
  read: async (path) => {
    const result = await run({ ...limits, argv: ["sh", "-c", readScript, "sh", path] });
    if (result.exitCode === noSuchFile) return null;
    if (result.exitCode !== 0) throw failed("read", path, result);
    if (result.truncated) {
      throw new DomainError(
        "sandbox_unavailable",
        `${path} is larger than ${limits.maxOutputBytes} bytes.`,
      );
    }
    return result.stdout;
  },
  write: async (path, content, { mode = 0o644 } = {}) => {
    const argv = ["sh", "-c", writeScript, "sh", path, mode.toString(8)] as const;
    const result = await run({ ...limits, argv, stdin: content });
    if (result.exitCode !== 0) throw failed("write", path, result);
  },
  exists: async (path) => (await run({ ...limits, argv: ["test", "-e", path] })).exitCode === 0,
});

const failed = (
  verb: string,
  path: string,
  result: Pick<ExecResult, "exitCode"> & { stderr: Buffer },
): DomainError =>
  new DomainError(
    "sandbox_unavailable",
    `Cannot ${verb} ${path} in the sandbox: ${result.stderr.toString().trim()}`,
  );
