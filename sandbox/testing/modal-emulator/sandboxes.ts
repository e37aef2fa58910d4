/** The sandboxes of the emulated service: names, lifetimes, and how each ended. */
import { randomBytes, randomInt } from "node:crypto";
import { EventEmitter, once } from "node:events";
import path from "node:path";
import getPort from "get-port";
import { ServerError, Status } from "nice-grpc";
import { copyFolder, openContainer, type Container } from "./container.ts";
import type { EmulatedExec } from "./emulated-exec.ts";
import type { Images } from "./images.ts";
import {
  resultStatus,
  type SandboxDefinition,
  type SandboxResult,
  type SandboxTag,
} from "./messages.ts";

export interface SandboxRequest {
  readonly appId: string;
  readonly definition: SandboxDefinition;
  readonly tags: readonly SandboxTag[];
  readonly env: Readonly<Record<string, string>>;
}

export interface EmulatedSandbox extends Omit<SandboxRequest, "tags"> {
  /** In the shape of the newer backend; the SDK tells them apart by it. */
  readonly id: string;
  readonly taskId: string;
  readonly name: string | null;
  /** Seconds since 1970, different for each. */
  readonly createdAt: number;
  readonly container: Container;
  readonly execs: Map<string, EmulatedExec>;
  tags: readonly SandboxTag[];
  /** Null while it runs. */
  result: SandboxResult | null;
  /** Fires `end`. */
  readonly life: EventEmitter;
}

export interface Sandboxes extends AsyncDisposable {
  /** @throws ServerError ALREADY_EXISTS if a running sandbox of the app has the name */
  create(request: SandboxRequest, name: string | null): Promise<EmulatedSandbox>;
  /** @throws ServerError NOT_FOUND */
  get(sandboxId: string): EmulatedSandbox;
  /** @throws ServerError NOT_FOUND */
  ofTask(taskId: string): EmulatedSandbox;
  running(): readonly EmulatedSandbox[];
  /** Ending what has ended changes nothing. */
  end(sandbox: EmulatedSandbox, status: SandboxResult["status"]): Promise<void>;
  /** Ends, but what is connected to it hears nothing, not even an end. */
  vanish(sandbox: EmulatedSandbox): Promise<void>;
  /** The result, or null if it still runs after so many seconds. */
  waitForEnd(sandbox: EmulatedSandbox, seconds: number): Promise<SandboxResult | null>;
}

export const openSandboxes = (folder: string, images: Images): Sandboxes => {
  const all = new Map<string, EmulatedSandbox>();
  const namesTaken = new Set<string>();
  const lifetimes = new Map<string, NodeJS.Timeout>();
  const endings = new Map<string, Promise<void>>();
  let created = 0;

  const find = (matches: (sandbox: EmulatedSandbox) => boolean, what: string): EmulatedSandbox => {
    const found = [...all.values()].find(matches);
    if (found === undefined) throw new ServerError(Status.NOT_FOUND, `${what} not found.`);
    return found;
  };

  const end: Sandboxes["end"] = (sandbox, status) => {
    const ending = endings.get(sandbox.id) ?? finish(sandbox, status);
    endings.set(sandbox.id, ending);
    return ending;
  };

  const finish = async (sandbox: EmulatedSandbox, status: SandboxResult["status"]) => {
    await sandbox.container.remove();
    report(sandbox, status);
  };

  const report = (sandbox: EmulatedSandbox, status: SandboxResult["status"]): void => {
    clearTimeout(lifetimes.get(sandbox.id));
    sandbox.result = { status, exitcode: 137, exception: "" };
    if (sandbox.name !== null) namesTaken.delete(nameKey(sandbox.appId, sandbox.name));
    sandbox.life.emit("end");
  };

  const create: Sandboxes["create"] = async (request, name) => {
    const image = images.folderOf(request.definition.imageId);
    const key = name === null ? null : nameKey(request.appId, name);
    if (key !== null && namesTaken.has(key)) {
      throw new ServerError(Status.ALREADY_EXISTS, `A sandbox named ${String(name)} is running.`);
    }
    if (key !== null) namesTaken.add(key);
    const id = `sb-${randomBytes(13).toString("hex")}`;
    // The folder follows the name, so a sandbox restored under it finds its absolute paths again.
    const root = path.join(folder, name ?? id);
    try {
      await copyFolder(image, root);
      const ports = await loopbackPorts(request.definition);
      created += 1;
      const sandbox: EmulatedSandbox = {
        ...request,
        id,
        name,
        taskId: `ta-${randomBytes(11).toString("hex")}`,
        createdAt: Date.now() / 1_000 + created / 1_000,
        container: openContainer({ sandboxId: id, root, ports, env: request.env }),
        execs: new Map(),
        result: null,
        life: new EventEmitter().setMaxListeners(0),
      };
      all.set(id, sandbox);
      const lifetime = setTimeout(
        () => void end(sandbox, resultStatus.timeout),
        request.definition.timeoutSecs * 1_000,
      );
      lifetimes.set(id, lifetime.unref());
      return sandbox;
    } catch (error) {
      if (key !== null) namesTaken.delete(key);
      throw error;
    }
  };

  return {
    create,
    end,
    vanish: async (sandbox) => {
      await sandbox.container.abandon();
      report(sandbox, resultStatus.failure);
    },
    get: (sandboxId) => find(({ id }) => id === sandboxId, `Sandbox ${sandboxId}`),
    ofTask: (wanted) => find(({ taskId }) => taskId === wanted, `Task ${wanted}`),
    running: () => [...all.values()].filter(({ result }) => result === null),
    waitForEnd: async (sandbox, seconds) => {
      if (sandbox.result === null && seconds > 0) {
        const signal = AbortSignal.timeout(seconds * 1_000);
        await once(sandbox.life, "end", { signal }).catch(() => undefined); // It still runs.
      }
      return sandbox.result;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...all.values()].map((sandbox) => end(sandbox, resultStatus.terminated)));
    },
  };
};

const nameKey = (appId: string, name: string): string => `${appId}/${name}`;

/** Below the range from which the system hands out ports by itself. */
const loopbackPorts = async ({ openPorts }: SandboxDefinition): Promise<Map<number, number>> => {
  const ports = new Map<number, number>();
  for (const { port } of openPorts?.ports ?? []) {
    const candidates = Array.from({ length: 20 }, () => randomInt(20_000, 32_000));
    ports.set(port, await getPort({ host: "127.0.0.1", port: candidates }));
  }
  return ports;
};
