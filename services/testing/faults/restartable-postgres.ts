/** A real Postgres on a folder of its own, which a test may kill and start again at the same address. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCuttingProxy } from "#event-store/testing/cutting-proxy";
import { startPostgres } from "#infra/postgres/embedded-postgres";

export interface RestartablePostgres {
  readonly url: string;
  /** Ends the server with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same data. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export const startRestartablePostgres = async (): Promise<RestartablePostgres> => {
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-test-postgres-"));
  const start = () => startPostgres({ dataDir, fsync: false, endsWithParent: true });
  let server = await start();
  // It listens somewhere else each time.
  const proxy = await openCuttingProxy(server.url);
  return {
    url: proxy.url,
    kill: async () => {
      process.kill(server.pid, "SIGKILL");
      await server.exited;
      await server.stop();
    },
    start: async () => {
      server = await start();
      proxy.target = server.url;
    },
    close: async () => {
      await proxy[Symbol.asyncDispose]();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
