import { readModels } from "../read-models.ts";
import type { Projection } from "../runtime/projection.ts";
import { tally } from "./tally.ts";

/** What the processes project that are killed: everything, and a tally in which a repetition shows. */
export const killedModels: readonly Projection[] = [...readModels, tally];
