/** One shell on a pseudo terminal, and those who watch it. */
import { openPty, type PtyOptions } from "./pty.ts";
import { scrollback } from "./scrollback.ts";

/** Somebody who sees the terminal. */
export interface Viewer {
  /** @param taken called when the output has left this process */
  show(text: string, taken: () => void): void;
  /** The shell has ended. */
  end(exit: { readonly exitCode: number; readonly signal: number }): void;
}

export interface Terminal {
  readonly pid: number;
  readonly viewers: number;
  /** Shows the viewer what there was, and from then on what comes; returns how to leave. */
  join(viewer: Viewer): () => void;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  hangUp(): void;
}

export interface TerminalLimits {
  /** Characters. */
  readonly scrollback: number;
  /** Nobody has watched for so long, and the shell is hung up. */
  readonly idleMs: number;
}

/** So many characters under way to the slowest viewer, and the shell has to wait. */
const maxUnderWay = 512 * 1024;

/** @throws DomainError `terminal_unavailable` */
export const openTerminal = async (
  options: PtyOptions,
  limits: TerminalLimits,
  onEnd: () => void,
): Promise<Terminal> => {
  const pty = await openPty(options);
  const history = scrollback(limits.scrollback);
  const underWay = new Map<Viewer, number>();
  let idle: NodeJS.Timeout | undefined;

  const watchIdle = () => {
    clearTimeout(idle);
    if (underWay.size > 0) return;
    idle = setTimeout(() => pty.hangUp(), limits.idleMs);
    idle.unref();
  };

  const regulate = () => {
    if (Math.max(0, ...underWay.values()) > maxUnderWay) pty.pause();
    else pty.resume();
  };

  const show = (viewer: Viewer, text: string) => {
    underWay.set(viewer, (underWay.get(viewer) ?? 0) + text.length);
    viewer.show(text, () => {
      const before = underWay.get(viewer);
      if (before === undefined) return;
      underWay.set(viewer, before - text.length);
      regulate();
    });
  };

  pty.onOutput((text) => {
    history.add(text);
    for (const viewer of underWay.keys()) show(viewer, text);
    regulate();
  });
  pty.onExit((exit) => {
    clearTimeout(idle);
    onEnd();
    for (const viewer of underWay.keys()) viewer.end(exit);
    underWay.clear();
  });
  watchIdle();

  return {
    pid: pty.pid,
    get viewers() {
      return underWay.size;
    },
    join: (viewer) => {
      underWay.set(viewer, 0);
      watchIdle();
      const before = history.read();
      if (before !== "") show(viewer, before);
      return () => {
        underWay.delete(viewer);
        regulate();
        watchIdle();
      };
    },
    type: pty.write,
    resize: pty.resize,
    hangUp: pty.hangUp,
  };
};
