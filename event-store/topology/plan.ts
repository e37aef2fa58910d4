/** Compares the streams that should be with those that are, and makes them so. */
import { isDeepStrictEqual } from "node:util";
import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager } from "@nats-io/jetstream";
import type { StreamDefinition } from "./streams.ts";

export type StreamChange =
  | { readonly kind: "create"; readonly stream: string }
  | {
      readonly kind: "update";
      readonly stream: string;
      readonly settings: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
    };

/** What `applyTopology` would do, and why. Reads only. */
export const planTopology = async (
  jsm: JetStreamManager,
  definitions: readonly StreamDefinition[],
): Promise<readonly StreamChange[]> =>
  (await Promise.all(definitions.map((definition) => planStream(jsm, definition)))).flat();

const planStream = async (
  jsm: JetStreamManager,
  definition: StreamDefinition,
): Promise<readonly StreamChange[]> => {
  let current: Record<string, unknown>;
  try {
    current = { ...(await jsm.streams.info(definition.name)).config };
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) {
      return [{ kind: "create", stream: definition.name }];
    }
    throw error;
  }
  const settings = Object.fromEntries(
    Object.entries(definition)
      .filter(([name, value]) => !isDeepStrictEqual(current[name] ?? false, value))
      .map(([name, to]) => [name, { from: current[name], to }]),
  );
  return Object.keys(settings).length === 0
    ? []
    : [{ kind: "update", stream: definition.name, settings }];
};

/** Carries a plan out. Safe to call from several processes at once, and again and again. */
export const applyTopology = async (
  jsm: JetStreamManager,
  definitions: readonly StreamDefinition[],
): Promise<readonly StreamChange[]> => {
  const plan = await planTopology(jsm, definitions);
  for (const change of plan) {
    const definition = definitions.find(({ name }) => name === change.stream);
    if (!definition) {
      continue;
    }
    await (change.kind === "create"
      ? jsm.streams.add(definition)
      : jsm.streams.update(definition.name, definition));
  }
  return plan;
};
