import { join } from "node:path";
import { startNats } from "./nats/embedded-nats.ts";
import { findNatsServer } from "./nats/find-nats-server.ts";
import { startPostgres } from "./postgres/embedded-postgres.ts";

export interface EmbeddedStackOptions {
  /** The folder that both keep their data in. */
  readonly dataDir: string;
  /** Where to look for a `nats-server`, see `findNatsServer`. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** A NATS server that runs already; then none is started. */
  readonly natsUrl?: string | undefined;
  /** A Postgres that runs already; then none is started. */
  readonly databaseUrl?: string | undefined;
  /** `fsync` (the default) survives a power cut; `relaxed` is for tests and demonstrations. */
  readonly durability?: "fsync" | "relaxed";
  /** What clients of the embedded NATS server must show. */
  readonly natsToken?: string;
  /** For benchmarks: the servers also end when this process is killed. */
  readonly endsWithParent?: boolean;
  /** Told in a few words what takes time. */
  readonly onProgress?: (message: string) => void;
}

export interface EmbeddedStack extends AsyncDisposable {
  readonly natsUrl: string;
  readonly databaseUrl: string;
  /** Settles with the name of a server that has ended by itself. */
  readonly lost: Promise<"nats-server" | "postgres">;
  /** Stops what was started here. Fine to call twice. */
  stop(): Promise<void>;
}

interface Part extends AsyncDisposable {
  readonly url: string;
  readonly exited: Promise<void>;
}

/** Starts NATS and Postgres as children of this process, or takes those that are given. */
export const startEmbeddedStack = async (options: EmbeddedStackOptions): Promise<EmbeddedStack> => {
  const [nats, postgres] = await startBoth(
    options.natsUrl === undefined ? startOwnNats(options) : external(options.natsUrl),
    options.databaseUrl === undefined ? startOwnPostgres(options) : external(options.databaseUrl),
  );
  const stop = async (): Promise<void> => {
    await Promise.all([nats[Symbol.asyncDispose](), postgres[Symbol.asyncDispose]()]);
  };
  return {
    natsUrl: nats.url,
    databaseUrl: postgres.url,
    lost: Promise.race([
      nats.exited.then(() => "nats-server" as const),
      postgres.exited.then(() => "postgres" as const),
    ]),
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

const startOwnNats = async (options: EmbeddedStackOptions): Promise<Part> => {
  const { env, onProgress, natsToken, endsWithParent = false } = options;
  const binary = await findNatsServer({ env, ...(onProgress === undefined ? {} : { onProgress }) });
  const server = await startNats({
    dataDir: join(options.dataDir, "nats"),
    binary,
    syncInterval: options.durability === "relaxed" ? "2m" : "always",
    endsWithParent,
    ...(natsToken === undefined ? {} : { token: natsToken }),
  });
  const url = natsToken === undefined ? server.url : server.url.replace("://", `://${natsToken}@`);
  return { url, exited: server.exited, [Symbol.asyncDispose]: () => server.stop() };
};

const startOwnPostgres = (options: EmbeddedStackOptions): Promise<Part> =>
  startPostgres({
    dataDir: join(options.dataDir, "postgres"),
    fsync: options.durability !== "relaxed",
    endsWithParent: options.endsWithParent ?? false,
  });

const external = (url: string): Promise<Part> =>
  Promise.resolve({
    url,
    exited: new Promise<never>(() => undefined),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });

/** Waits for both; when one fails, the other is stopped again. */
const startBoth = async (
  nats: Promise<Part>,
  postgres: Promise<Part>,
): Promise<readonly [Part, Part]> => {
  const [first, second] = await Promise.allSettled([nats, postgres]);
  if (first.status === "fulfilled" && second.status === "fulfilled") {
    return [first.value, second.value];
  }
  for (const outcome of [first, second]) {
    if (outcome.status === "fulfilled") await outcome.value[Symbol.asyncDispose]();
  }
  throw first.status === "rejected" ? first.reason : (second as PromiseRejectedResult).reason;
};
