import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import getPort from "get-port";
import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "#contracts/errors";
import { lockFolder } from "../process/folder-lock.ts";
import { type Account, runAs } from "../process/run-as.ts";
import { type ServerProcess, startServerProcess } from "../process/server-process.ts";
import { endingWithParent } from "../process/setpriv.ts";
import { waitFor } from "../process/wait-for.ts";
import { postgresAccount } from "./account.ts";
import { findPostgres } from "./binaries.ts";
import { prepareCluster, superuser } from "./cluster.ts";
import { clearLeftovers, postgresStopSignals } from "./leftovers.ts";

/** Crash recovery of a large log comes before the first connection. */
const startTimeoutMs = 60_000;
const startAttempts = 8;
const betweenAttemptsMs = 500;

export interface StartPostgresOptions {
  /** Everything of the server lives below it: database files, password, log. */
  readonly dataDir: string;
  /** `false` for tests: quicker and smaller; only a crash of the machine may lose what was written. */
  readonly fsync?: boolean;
  /** For tests and benchmarks: the server also ends when this process is killed. */
  readonly endsWithParent?: boolean;
}

export interface EmbeddedPostgres extends AsyncDisposable {
  /** With user and password, of the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Settles when the server has ended, wanted or not. */
  readonly exited: Promise<void>;
  /** Stops the server and gives the data folder free. Fine to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts Postgres on 127.0.0.1 at a free port and resolves when it accepts connections. The database
 * files are made on the first start; a server that a killed process has left is stopped first. Works
 * as root too: the server then runs as another account.
 *
 * @throws DomainError `configuration_invalid` if a living process uses the data folder,
 *   `prerequisite_missing` if the server does not come up (with the end of its log)
 */
export const startPostgres = async (options: StartPostgresOptions): Promise<EmbeddedPostgres> => {
  const dataDir = resolve(options.dataDir);
  const lock = await lockFolder(dataDir);
  try {
    const fsync = options.fsync ?? true;
    const binaries = await findPostgres();
    const account = await postgresAccount(join(dataDir, "cluster"));
    const cluster = await prepareCluster({ dataDir, binaries, account, fsync });
    await clearLeftovers(cluster.folder);
    const { server, port } = await startWithRetries({
      binary: binaries.postgres,
      cluster: cluster.folder,
      logFile: join(dataDir, "postgres.log"),
      account,
      fsync,
      endsWithParent: options.endsWithParent ?? false,
    });
    const stop = async (): Promise<void> => {
      await server.stop();
      await lock.release();
    };
    return {
      url: `postgres://${superuser}:${cluster.password}@127.0.0.1:${String(port)}/postgres`,
      port,
      pid: server.pid,
      exited: server.exited,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
};

interface LaunchOptions {
  readonly binary: string;
  readonly cluster: string;
  readonly logFile: string;
  readonly account: Account | undefined;
  readonly fsync: boolean;
  readonly endsWithParent: boolean;
}

/**
 * Another process can take the port between the probe and the start, and the kernel may need a
 * moment to take a killed server's memory away: both are over by a later attempt.
 */
const startWithRetries = async (
  options: LaunchOptions,
): Promise<{ server: ServerProcess; port: number }> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = await getPort({ host: "127.0.0.1" });
    const server = await launch(options, port);
    const ready = await waitFor(
      async () => {
        if (server.hasExited()) return "exited" as const;
        return (await isReady(options.cluster, server.pid)) ? ("ready" as const) : undefined;
      },
      { timeoutMs: startTimeoutMs },
    );
    if (ready === "ready") return { server, port };
    await server.stop();
    const log = await server.logTail();
    const passes = /could not create any TCP|shared memory block|lock file/.test(log);
    if (!passes || attempt === startAttempts) {
      throw new DomainError("prerequisite_missing", `Postgres did not start: ${log.slice(-500)}`);
    }
    await delay(betweenAttemptsMs);
  }
};

const launch = async (options: LaunchOptions, port: number): Promise<ServerProcess> => {
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${String(port)}`,
    // Only TCP: the default socket folder is shared, and its path can be too long.
    "unix_socket_directories=",
    ...(options.fsync ? [] : unsafeSettings),
  ];
  const server = {
    command: options.binary,
    args: ["-D", options.cluster, ...settings.flatMap((setting) => ["-c", setting])],
  };
  const program = options.endsWithParent ? await endingWithParent(server, "SIGINT") : server;
  const launched = options.account
    ? await runAs(options.account, program, [options.binary, options.cluster])
    : program;
  return startServerProcess({
    ...launched,
    logFile: options.logFile,
    stopSignals: postgresStopSignals,
  });
};

const unsafeSettings = [
  "fsync=off",
  "full_page_writes=off",
  "shared_buffers=32MB",
  "max_connections=300",
];

/** The last line of its lock file is where Postgres says that it takes connections. */
const isReady = async (cluster: string, pid: number): Promise<boolean> => {
  try {
    const lines = (await readFile(join(cluster, "postmaster.pid"), "utf8")).split("\n");
    return lines[0] === String(pid) && lines[7]?.trim() === "ready";
  } catch {
    // It has not written the file yet.
    return false;
  }
};
