/** What a session may do: every integration with its actions and their modes. */
import type { AvailableIntegration } from "#contracts/actions/definition";
import type { OrganizationId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { loadPolicy } from "../policy/commands.ts";
import type { PolicyState } from "../policy/decider.ts";
import { resolveMode } from "../policy/modes.ts";
import type { ActionRegistry } from "./registry.ts";
import type { ActionSource } from "./source.ts";

export interface CatalogueDeps {
  readonly store: EventStore;
  readonly registry: ActionRegistry;
  readonly log: Log;
}

/** An integration that cannot be reached now is left out: the others still work. */
export const listAvailable = async (
  { store, registry, log }: CatalogueDeps,
  organization: OrganizationId,
): Promise<AvailableIntegration[]> => {
  const [policy, sources] = await Promise.all([
    loadPolicy(store, organization),
    registry.sourcesOf(organization),
  ]);
  const listed = await Promise.allSettled(sources.map((source) => listOne(source, policy)));
  return listed.flatMap((result, index) => {
    if (result.status === "fulfilled") return [result.value];
    log.warn(
      { err: result.reason as unknown, integration: sources[index]?.id },
      "an integration could not be listed",
    );
    return [];
  });
};

const listOne = async (
  source: ActionSource,
  policy: PolicyState,
): Promise<AvailableIntegration> => ({
  id: source.id,
  name: source.name,
  actions: (await source.list()).map((definition) => ({
    ...definition,
    mode: resolveMode(policy, {
      integration: source.id,
      action: definition.id,
      risk: definition.risk,
    }).mode,
  })),
});
