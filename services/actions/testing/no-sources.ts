import type { ActionRegistry } from "../sources/registry.ts";

/** The registry of organisations that have connected nothing. */
export const noSources: ActionRegistry = { sourcesOf: () => Promise.resolve([]) };
