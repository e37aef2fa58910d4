import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { DomainError } from "#contracts/errors";
import { lockFolder } from "../process/folder-lock.ts";
import { processesStartedWith, stopProcess } from "../process/running-processes.ts";
import {
  startServerProcess,
  type ServerProcess,
  type StopSignal,
} from "../process/server-process.ts";
import { endingWithParent } from "../process/setpriv.ts";
import { waitFor } from "../process/wait-for.ts";

const startTimeoutMs = 30_000;
const stopSignals: readonly [StopSignal, StopSignal] = [
  { signal: "SIGTERM", waitMs: 10_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
];

export interface StartNatsOptions {
  /** Everything of the server lives below it: streams, config, log. */
  readonly dataDir: string;
  /** Path of a `nats-server`, see `findNatsServer`. */
  readonly binary: string;
  /** `always` syncs each append to disk before it is acknowledged; `2m` is the server's own default. */
  readonly syncInterval: "always" | "2m";
  /** A free one when left out. */
  readonly port?: number;
  /** Clients must show it. Without it every process of this machine may use the server. */
  readonly token?: string;
  /** Where the server writes its process id, for others to see. */
  readonly pidFile?: string;
  /** For tests and benchmarks: the server also ends when this process is killed. */
  readonly endsWithParent?: boolean;
}

export interface EmbeddedNats extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Base URL of the server's HTTP monitoring (`/jsz`, `/varz`, …). */
  readonly monitor: string;
  /** Settles when the server has ended, wanted or not. */
  readonly exited: Promise<void>;
  /** Stops the server and gives the data folder free. Fine to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a `nats-server` with JetStream on 127.0.0.1 and resolves when it accepts connections. One
 * that a killed process has left on the same data folder is stopped first.
 *
 * @throws DomainError `configuration_invalid` if a living process uses the data folder,
 *   `prerequisite_missing` if the server does not come up (with the end of its log)
 */
export const startNats = async (options: StartNatsOptions): Promise<EmbeddedNats> => {
  const dataDir = resolve(options.dataDir);
  const lock = await lockFolder(dataDir);
  try {
    const configFile = join(dataDir, "nats.conf");
    await stopOrphans(configFile);
    const ports = join(dataDir, "ports");
    await rm(ports, { recursive: true, force: true });
    await mkdir(ports, { recursive: true });
    await writeFile(configFile, renderConfig(options, dataDir, ports), { mode: 0o600 });

    const program = { command: resolve(options.binary), args: ["--config", configFile] };
    const server = await startServerProcess({
      ...(options.endsWithParent === true
        ? await endingWithParent(program, "SIGTERM")
        : { ...program, argv0: "nats-server" }),
      logFile: join(dataDir, "nats.log"),
      stopSignals,
    });
    const addresses = await waitUntilReady(server, ports).catch(async (error: unknown) => {
      await server.stop();
      throw error;
    });
    const stop = async (): Promise<void> => {
      await server.stop();
      await lock.release();
    };
    return {
      url: addresses.client,
      port: Number(new URL(addresses.client).port),
      pid: server.pid,
      monitor: addresses.monitor,
      exited: server.exited,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
};

/** Holding the folder's lock means that whoever serves from it has lost its parent. */
const stopOrphans = async (configFile: string): Promise<void> => {
  for (const { pid } of await processesStartedWith("nats-server", configFile)) {
    await stopProcess(pid, stopSignals);
  }
};

const renderConfig = (options: StartNatsOptions, dataDir: string, ports: string): string => {
  const quoted = (text: string): string => JSON.stringify(text);
  return [
    'server_name: "embedded"',
    `listen: "127.0.0.1:${String(options.port ?? -1)}"`,
    'http: "127.0.0.1:-1"',
    `ports_file_dir: ${quoted(ports)}`,
    ...(options.pidFile === undefined ? [] : [`pid_file: ${quoted(resolve(options.pidFile))}`]),
    ...(options.token === undefined ? [] : [`authorization { token: ${quoted(options.token)} }`]),
    // A webhook of 1 MB is stored in base64.
    "max_payload: 2MB",
    "jetstream {",
    `  store_dir: ${quoted(join(dataDir, "store"))}`,
    `  sync_interval: ${options.syncInterval}`,
    "}",
    "",
  ].join("\n");
};

interface Addresses {
  readonly client: string;
  readonly monitor: string;
}

const waitUntilReady = async (server: ServerProcess, ports: string): Promise<Addresses> => {
  const ready = await waitFor(
    async () => {
      if (server.hasExited()) return "exited" as const;
      const addresses = await readPortsFile(ports);
      return addresses !== undefined && (await accepts(addresses.client)) ? addresses : undefined;
    },
    { timeoutMs: startTimeoutMs },
  );
  if (ready !== undefined && ready !== "exited") return ready;
  throw new DomainError(
    "prerequisite_missing",
    `nats-server did not start: ${lastLine(await server.logTail())}`,
  );
};

/** The server itself writes down the ports that it got; undefined until the file is whole. */
const readPortsFile = async (ports: string): Promise<Addresses | undefined> => {
  const name = (await readdir(ports)).find((file) => file.endsWith(".ports"));
  if (name === undefined) return undefined;
  try {
    const content = JSON.parse(await readFile(join(ports, name), "utf8")) as {
      nats?: string[];
      monitoring?: string[];
    };
    const client = content.nats?.[0];
    const monitor = content.monitoring?.[0];
    return client === undefined || monitor === undefined ? undefined : { client, monitor };
  } catch {
    // Half written; it is read again.
    return undefined;
  }
};

const accepts = (url: string): Promise<boolean> =>
  new Promise((resolveAccepts) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.once("data", () => {
      socket.destroy();
      resolveAccepts(true); // The server greets with INFO, so it really is ready for a client.
    });
    socket.once("error", () => resolveAccepts(false));
    socket.once("close", () => resolveAccepts(false));
  });

const lastLine = (log: string): string => log.split("\n").at(-1) ?? "";
