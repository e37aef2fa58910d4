/** What every role works on: the log, the database, the keys. Opened once per process. */
import { hostname } from "node:os";
import type { Logger } from "pino";
import type { Sql } from "postgres";
import { newId } from "#contracts/ids";
import { connectToNats } from "#event-store/connection";
import { type EventStore, openEventStore } from "#event-store/event-store";
import type { Tracing } from "#event-store/tracing/tracing";
import { openDatabase } from "#projections/database";
import { readModels } from "#projections/read-models";
import { prepareReadModels } from "#projections/runtime/prepare";
import { prepareFullResults } from "./actions/full-results/full-result-table.ts";
import type { Config } from "./config.ts";
import { type Metrics, openMetrics } from "./metrics/open-metrics.ts";
import { type Running, runningStack } from "./running.ts";
import { openDataKeys, prepareDataKeys } from "./secrets/data-keys.ts";
import { deriveKeys, type Keys } from "./secrets/keys.ts";

export interface Platform {
  readonly config: Config;
  readonly log: Logger;
  readonly store: EventStore;
  readonly sql: Sql;
  readonly databaseUrl: string;
  readonly keys: Keys;
  readonly metrics: Metrics;
  /** Names this process among others. */
  readonly instance: string;
  stop(): Promise<void>;
}

export interface PlatformOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly natsUrl: string;
  readonly databaseUrl: string;
  /** See `secrets/keys.ts`. */
  readonly secretsKey: string;
}

/** Connects to the servers and brings streams and tables up to date. */
export const openPlatform = async (options: PlatformOptions): Promise<Platform> => {
  const { config, log, natsUrl, databaseUrl, secretsKey } = options;
  const keys = deriveKeys(secretsKey);
  const opened = runningStack();
  try {
    const instance = `${hostname()}-${process.pid}-${newId("command").slice(-6)}`;
    // Without a token nobody can read them.
    const metrics = openMetrics({ ofProcess: config.METRICS_TOKEN !== undefined });
    const tracing = await openConfiguredTracing(config, instance, log);
    if (tracing !== null) opened.add(tracing);
    const connection = await connectToNats({ url: natsUrl, name: instance });
    opened.add({ stop: () => connection.close() });
    const sql = openDatabase({ url: databaseUrl });
    opened.add({ stop: () => sql.end({ timeout: 5 }) });
    await prepareDataKeys(sql);
    await prepareFullResults(sql);
    const store = await openEventStore({
      connection,
      shards: config.EVENT_SHARDS,
      durability: config.DURABILITY,
      dataKeys: openDataKeys({ sql, wrappingKey: keys.dataKeyWrapping }),
      tracing,
      observer: metrics.store,
    });
    await prepareReadModels(sql, readModels);
    const platform = { config, log, store, sql, databaseUrl, keys, metrics, instance };
    return { ...platform, stop: opened.stop };
  } catch (error) {
    await opened.stop();
    throw error;
  }
};

/** Null without a collector: what it takes to speak to one is not even loaded then. */
const openConfiguredTracing = async (
  config: Config,
  instance: string,
  log: Logger,
): Promise<(Tracing & Running) | null> => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return null;
  const { openTracing } = await import("./tracing/open-tracing.ts");
  return openTracing({
    endpoint,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    service: config.OTEL_SERVICE_NAME,
    instance,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    log,
  });
};
