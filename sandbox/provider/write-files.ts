/** Writes many small files with one command: each command in a far sandbox costs a round trip or more. */
import { DomainError } from "#contracts/errors";
import type { Exec } from "./exec.ts";

export interface NewFile {
  /** Absolute, or below the folder that `exec` works in; with a folder in front of its name. */
  readonly path: string;
  readonly content: string;
  /** Octal permissions, 0o644 by default. */
  readonly mode?: number;
}

/**
 * Takes `path mode size` for each file, and their contents one after the other as its input. No file is
 * replaced before all have arrived: the last one is short if anything was cut off on the way.
 */
const script = `set -e
receive() {
  while [ $# -gt 0 ]; do
    [ -d "\${1%/*}" ] || mkdir -p -- "\${1%/*}"
    draft="$1.$$.draft" size="$3"
    case "$2" in *00) umask 077 ;; *) umask 022 ;; esac
    head -c "$size" > "$draft"
    shift 3
  done
  [ "$(wc -c < "$draft")" -eq "$size" ]
}
place() {
  while [ $# -gt 0 ]; do
    [ "$2" = 644 ] || chmod "$2" "$1.$$.draft"
    mv -f -- "$1.$$.draft" "$1"
    shift 3
  done
}
receive "$@"
place "$@"`;

/**
 * Replaces each file as a whole, and makes the folders above it.
 * @throws DomainError `sandbox_unavailable`; some files may have been written by then
 */
export const writeFiles = async (exec: Exec, files: readonly NewFile[]): Promise<void> => {
  if (files.length === 0) return;
  const contents = files.map(({ content }) => Buffer.from(content));
  const places = files.flatMap(({ path, mode = 0o644 }, index) => [
    path,
    mode.toString(8),
    String(contents[index]?.length),
  ]);
  const argv = ["sh", "-c", script, "sh", ...places] as const;
  const { exitCode, stderr } = await exec(argv, { stdin: Buffer.concat(contents) });
  if (exitCode === 0) return;
  const names = files.map(({ path }) => path).join(", ");
  throw new DomainError(
    "sandbox_unavailable",
    `Cannot write all of ${names} in the sandbox: ${stderr.trim()}`,
  );
};
