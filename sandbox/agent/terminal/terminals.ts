/** The terminals of a sandbox, by name. Who asks for a name that runs comes back to it. */
import pLimit from "p-limit";
import { DomainError } from "#contracts/errors";
import { openTerminal, type Terminal, type TerminalLimits } from "./terminal.ts";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalsOptions {
  readonly shell: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits?: Partial<TerminalLimits & { readonly terminals: number }>;
}

export interface Terminals {
  list(): { name: string; pid: number; viewers: number }[];
  /**
   * The terminal of that name, at this size from now on; a new one if there is none.
   * @throws DomainError `too_many_terminals`, `terminal_unavailable`
   */
  open(name: string, size: TerminalSize): Promise<Terminal>;
  /** Hangs all of them up. */
  close(): void;
}

const defaultLimits = { terminals: 16, scrollback: 128 * 1024, idleMs: 30 * 60_000 };

export const openTerminals = (options: TerminalsOptions): Terminals => {
  const limits = { ...defaultLimits, ...options.limits };
  const open = new Map<string, Terminal>();
  // Two who ask for a new name at once get the same shell.
  const oneAtATime = pLimit(1);

  const openNew = async (name: string, size: TerminalSize): Promise<Terminal> => {
    if (open.size >= limits.terminals) {
      throw new DomainError("too_many_terminals", `There are ${limits.terminals} terminals open.`);
    }
    const pty = { argv: options.shell, cwd: options.cwd, env: options.env, ...size };
    const terminal = await openTerminal(pty, limits, () => open.delete(name));
    open.set(name, terminal);
    return terminal;
  };

  return {
    list: () =>
      [...open].map(([name, terminal]) => ({
        name,
        pid: terminal.pid,
        viewers: terminal.viewers,
      })),
    open: (name, size) =>
      oneAtATime(async () => {
        const known = open.get(name);
        known?.resize(size.columns, size.rows);
        return known ?? openNew(name, size);
      }),
    close: () => {
      for (const terminal of open.values()) terminal.hangUp();
    },
  };
};
