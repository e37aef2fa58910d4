import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DomainError } from "#contracts/errors";
import { processesStartedWith, stopProcess } from "../process/running-processes.ts";
import {
  startServerProcess,
  type ServerProcess,
  type StopSignal,
} from "../process/server-process.ts";
import { endingWithParent, type Program } from "../process/setpriv.ts";
import { waitFor } from "../process/wait-for.ts";
import { type NodeSettings, renderNodeConfig, storeDirOf } from "./node-config.ts";

const startTimeoutMs = 30_000;
const probeTimeoutMs = 1_000;
/** A node in lame duck mode takes its time; whoever stops it does not want to wait for that. */
const stopSignals: readonly [StopSignal, StopSignal] = [
  { signal: "SIGTERM", waitMs: 10_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
];

/** One server of a cluster. Its name, ports and folder stay the same over restarts. */
export interface ClusterNode {
  readonly name: string;
  readonly url: string;
  /** Base URL of its HTTP monitoring (`/jsz`, `/varz`, `/healthz`). */
  readonly monitor: string;
  /** The `store_dir` of its JetStream. */
  readonly storeDir: string;
  isRunning(): boolean;
  /**
   * Starts it on its folder, and resolves when it serves monitoring. Fine when it runs already.
   *
   * @throws DomainError `prerequisite_missing` if it does not come up
   */
  start(): Promise<void>;
  /** SIGTERM: it hands its leaderships over and ends. */
  stop(): Promise<void>;
  /** SIGKILL: it ends between two instructions. */
  kill(): Promise<void>;
  /** Lame duck mode: it hands its leaderships over, sends its clients away and ends by itself. */
  enterLameDuckMode(): void;
  /** Whether it says that its streams are in step with the others'. */
  isHealthy(): Promise<boolean>;
}

export interface ClusterNodeOptions {
  readonly settings: NodeSettings;
  /** Path of a `nats-server`. */
  readonly binary: string;
  /** How a program is started where the node is to be. */
  readonly enter: (program: Program) => Program;
  /** For tests and benchmarks: the server also ends when this process is killed. */
  readonly endsWithParent: boolean;
}

/** A node that is not started yet. */
export const clusterNode = ({
  settings,
  binary,
  enter,
  endsWithParent,
}: ClusterNodeOptions): ClusterNode => {
  const configFile = join(settings.dataDir, "nats.conf");
  const monitor = `http://${settings.clientHost}:${String(settings.monitorPort)}`;
  let server: ServerProcess | undefined;
  const isRunning = (): boolean => server !== undefined && !server.hasExited();

  const start = async (): Promise<void> => {
    if (isRunning()) return;
    await mkdir(settings.dataDir, { recursive: true });
    await writeFile(configFile, renderNodeConfig(settings), { mode: 0o600 });
    // The folder is this process' own: whoever serves from it has lost its parent.
    for (const { pid } of await processesStartedWith("nats-server", configFile)) {
      await stopProcess(pid, stopSignals);
    }
    const program = enter({ command: resolve(binary), args: ["--config", configFile] });
    const started = await startServerProcess({
      ...(endsWithParent
        ? await endingWithParent(program, "SIGKILL")
        : { ...program, argv0: "nats-server" }),
      logFile: join(settings.dataDir, "nats.log"),
      stopSignals,
    });
    server = started;
    const outcome = await waitFor(
      async () => {
        if (started.hasExited()) return "exited" as const;
        return (await servesAs(monitor, settings)) ? ("ready" as const) : undefined;
      },
      { timeoutMs: startTimeoutMs },
    );
    if (outcome !== "ready") {
      await started.stop();
      throw new DomainError(
        "prerequisite_missing",
        `${settings.name} did not start: ${(await started.logTail()).split("\n").at(-1) ?? ""}`,
      );
    }
  };

  return {
    name: settings.name,
    url: `nats://${settings.clientHost}:${String(settings.clientPort)}`,
    monitor,
    storeDir: storeDirOf(settings),
    isRunning,
    start,
    stop: async () => {
      await server?.stop();
    },
    kill: async () => {
      if (server === undefined || server.hasExited()) return;
      await stopProcess(server.pid, [{ signal: "SIGKILL", waitMs: 10_000 }]);
      await server.exited;
    },
    enterLameDuckMode: () => {
      if (server !== undefined && isRunning()) process.kill(server.pid, "SIGUSR2");
    },
    isHealthy: async () => (await probe(`${monitor}/healthz`))?.ok === true,
  };
};

/** Whether this very node answers: a stranger on its port belongs to no cluster or another one. */
const servesAs = async (monitor: string, { name, clusterName }: NodeSettings): Promise<boolean> => {
  const answer = await probe(`${monitor}/varz`);
  if (answer?.ok !== true) return false;
  const varz = JSON.parse(answer.body) as { server_name?: string; cluster?: { name?: string } };
  return varz.server_name === name && varz.cluster?.name === clusterName;
};

/** Undefined when nobody answers. */
const probe = async (
  url: string,
): Promise<{ readonly ok: boolean; readonly body: string } | undefined> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(probeTimeoutMs) });
    return { ok: response.ok, body: await response.text() };
  } catch {
    // Not there (yet, or any more): the caller asks again.
    return undefined;
  }
};
