import { openDatabase } from "#projections/database";
import { readModels } from "#projections/read-models";
import { startProjector } from "#projections/runtime/projector";
import type { Platform } from "../platform.ts";
import type { Running } from "../running.ts";

/** Keeps the read models up with the log. */
export const startProjectorRole = ({ store, databaseUrl, log }: Platform): Promise<Running> =>
  startProjector({
    store,
    openSql: (schema) =>
      openDatabase({ url: databaseUrl, maxConnections: 1, ...(schema && { schema }) }),
    projections: readModels,
    log,
  });
