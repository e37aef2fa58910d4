import type { TriggerFilter } from "#contracts/trigger/events";
import { fieldOf } from "./body.ts";

/** Whether every field that the filter names has exactly its value. An empty filter matches everything. */
export const matches = (filter: TriggerFilter, body: unknown): boolean =>
  Object.entries(filter).every(([name, expected]) => fieldOf(body, name) === expected);
