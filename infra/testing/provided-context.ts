import type { SharedCluster } from "./cluster-accounts.ts";

/** What the global setup hands to the test files; read with `inject` of Vitest. */
declare module "vitest" {
  export interface ProvidedContext {
    /** A Postgres for the whole run. Tests use a database of their own in it. */
    postgresUrl: string;
    /** Path of a `nats-server`. */
    natsServerBinary: string;
    /** Three servers for the whole run in the project whose logs have three copies; else undefined. */
    sharedCluster: SharedCluster | undefined;
  }
}
