/** What a session may do: every integration with its actions and their modes. */
import type { AvailableIntegration } from "#contracts/actions/definition";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { askedOf, triggerOfSession } from "../policy/ask-policy.ts";
import { loadPolicy } from "../policy/commands.ts";
import { type ActionAsked, decideMode } from "../policy/decide-mode.ts";
import type { PolicyState } from "../policy/state.ts";
import type { ExistingSession } from "../sessions/state.ts";
import type { ActionRegistry } from "./registry.ts";
import type { ActionSource } from "./source.ts";

export interface CatalogueDeps {
  readonly store: EventStore;
  readonly registry: ActionRegistry;
  readonly log: Log;
  readonly clock: () => Date;
}

/**
 * The modes are those of a call without parameters: a rule with conditions may decide otherwise when the
 * action is asked for. An integration that cannot be reached now is left out: the others still work.
 */
export const listAvailable = async (
  { store, registry, log, clock }: CatalogueDeps,
  organization: OrganizationId,
  session: { readonly id: SessionId; readonly state: ExistingSession },
): Promise<AvailableIntegration[]> => {
  const [policy, sources, triggerId] = await Promise.all([
    loadPolicy(store, organization),
    registry.sourcesOf(organization),
    triggerOfSession(store, organization, session.state),
  ]);
  const context = { params: {}, sessionId: session.id, triggerId, now: clock() };
  const listed = await Promise.allSettled(
    sources.map((source) => listOne(source, policy, context)),
  );
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
  context: Pick<ActionAsked, "params" | "sessionId" | "triggerId"> & { readonly now: Date },
): Promise<AvailableIntegration> => ({
  id: source.id,
  name: source.name,
  actions: (await source.list()).map((definition) => {
    const asked = askedOf({ ...context, integration: source.id, definition });
    const { mode, source: modeSource, drifted } = decideMode(policy, asked);
    return { ...definition, mode, modeSource, drifted };
  }),
});
