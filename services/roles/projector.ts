import { readModels } from "#projections/read-models";
import { startProjector } from "#projections/runtime/projector";
import type { Platform } from "../platform.ts";
import type { Running } from "../running.ts";

/** Keeps the read models up with the log. */
export const startProjectorRole = ({ store, sql, log }: Platform): Promise<Running> =>
  startProjector({ store, sql, projections: readModels, log });
