/** VS Code in the browser: started when somebody first asks for it, ended when nobody has for a while. */
import { mkdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "#contracts/errors";
import type { ServiceManager } from "../services/service-manager.ts";
import { socketFolder } from "../socket-folder.ts";
import { findEditor } from "./editor-programs.ts";

export interface EditorOptions {
  readonly services: Pick<ServiceManager, "startOwn" | "stopOwn">;
  readonly stateFolder: string;
  readonly workspace: string;
  readonly searchPath: string;
  readonly limits?: Partial<EditorLimits>;
}

/** Milliseconds. */
export interface EditorLimits {
  /** How long it may take to listen. */
  readonly startTimeoutMs: number;
  /** How long it goes on without anybody. */
  readonly idleMs: number;
}

export interface Editor {
  /**
   * The socket on which it answers; it is started unless it runs.
   * @throws DomainError `editor_missing` where the image has none, `editor_unavailable` when it does not start
   */
  ready(): Promise<string>;
  /** Keeps it from being ended until the answered function is called. */
  use(): () => void;
  /** Ends nothing: the program is the service manager's. */
  close(): void;
}

/** The service's name. */
export const editorService = "vscode-server";

const defaultLimits: EditorLimits = { startTimeoutMs: 60_000, idleMs: 15 * 60_000 };
const pauseMs = 100;

export const openEditor = (options: EditorOptions): Editor => {
  const limits = { ...defaultLimits, ...options.limits };
  let starting: Promise<string> | null = null;
  let users = 0;
  let idle: NodeJS.Timeout | undefined;

  const endIfUnused = (): void => {
    // Whoever comes meanwhile has it started again. It is shown as running if it cannot be ended.
    if (users === 0) void options.services.stopOwn(editorService).catch(() => undefined);
  };

  return {
    ready: () => {
      starting ??= start(options, limits).finally(() => {
        starting = null;
      });
      return starting;
    },
    use: () => {
      users += 1;
      clearTimeout(idle);
      return () => {
        users -= 1;
        if (users === 0) idle = setTimeout(endIfUnused, limits.idleMs).unref();
      };
    },
    close: () => clearTimeout(idle),
  };
};

const start = async (
  { services, stateFolder, workspace, searchPath }: EditorOptions,
  { startTimeoutMs }: EditorLimits,
): Promise<string> => {
  const dataFolder = path.join(stateFolder, "vscode");
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const socketPath = path.join(await socketFolder(dataFolder), "vscode.sock");
  if (await listens(socketPath)) return socketPath;
  const argv = await findEditor(searchPath, { socketPath, workspace, dataFolder });
  if (argv === null) {
    throw new DomainError(
      "editor_missing",
      "This sandbox has no VS Code: its image has neither openvscode-server nor code-server.",
    );
  }
  // One that was killed has left it, and the next could not listen there.
  await rm(socketPath, { force: true });
  await services.startOwn({
    name: editorService,
    argv: [...argv],
    cwd: workspace,
    env: {},
    restart: "on_failure",
    owner: "sandbox",
  });
  const givesUpAt = Date.now() + startTimeoutMs;
  while (!(await listens(socketPath))) {
    if (Date.now() >= givesUpAt) {
      const advice = `What it says is in the log of the service ${editorService}.`;
      throw new DomainError("editor_unavailable", `VS Code does not start. ${advice}`);
    }
    await delay(pauseMs);
  }
  return socketPath;
};

const listens = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(socketPath);
    const answer = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
