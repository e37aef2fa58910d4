import { constants } from "node:fs";
import { access } from "node:fs/promises";

/** A program and its arguments, as `spawn` takes them. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** The tool of util-linux that starts a program with other rights; undefined where there is none. */
export const findSetpriv = async (): Promise<string | undefined> => {
  for (const path of ["/usr/bin/setpriv", "/bin/setpriv"]) {
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // Not there; the next place is tried.
    }
  }
  return undefined;
};

/**
 * Lets the kernel send `signal` to the program when its parent dies, however that dies: a test
 * runner kills its workers, and nobody starts on their temporary folders again. Without `setpriv` the
 * program is left as it is.
 */
export const endingWithParent = async (
  program: Program,
  signal: NodeJS.Signals,
): Promise<Program> => {
  const setpriv = await findSetpriv();
  if (setpriv === undefined) return program;
  const name = signal.replace(/^SIG/, "");
  return { command: setpriv, args: ["--pdeathsig", name, "--", program.command, ...program.args] };
};
