import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { findNatsServer } from "../nats/find-nats-server.ts";
import { startPostgres } from "../postgres/embedded-postgres.ts";
import "./provided-context.ts";

interface SharedServers {
  readonly natsServerBinary: string;
  readonly postgresUrl: string;
  stop(): Promise<void>;
}

/**
 * Vitest runs the setup once for each of its projects, and loads this module anew each time: what
 * they share is kept where all of them find it.
 */
const shared = globalThis as typeof globalThis & {
  proliferateTestServers?: { users: number; readonly servers: Promise<SharedServers> } | undefined;
};

/** Vitest global setup: one Postgres for the whole run, and the path of a `nats-server`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const use = (shared.proliferateTestServers ??= { users: 0, servers: startServers() });
  use.users += 1;
  const servers = await use.servers;
  project.provide("postgresUrl", servers.postgresUrl);
  project.provide("natsServerBinary", servers.natsServerBinary);
  return async () => {
    use.users -= 1;
    if (use.users > 0) return;
    shared.proliferateTestServers = undefined;
    await servers.stop();
  };
}

const startServers = async (): Promise<SharedServers> => {
  const natsServerBinary = await findNatsServer({
    env: process.env,
    onProgress: (message) => process.stderr.write(`${message}\n`),
  });
  const folder = await mkdtemp(join(tmpdir(), "proliferate-test-postgres-"));
  await chmod(folder, 0o711); // As root, the server runs as an account that must get in.
  const postgres = await startPostgres({ dataDir: folder, fsync: false, endsWithParent: true });
  return {
    natsServerBinary,
    postgresUrl: postgres.url,
    stop: async () => {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
