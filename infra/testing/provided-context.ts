/** What the global setup hands to the test files; read with `inject` of Vitest. */
declare module "vitest" {
  export interface ProvidedContext {
    /** A Postgres for the whole run. Tests use a database of their own in it. */
    postgresUrl: string;
    /** Path of a `nats-server`. */
    natsServerBinary: string;
    /** `replicated` in the project whose event stores stand on a cluster; undefined elsewhere. */
    eventStoreDurability: "replicated" | undefined;
  }
}

export {};
