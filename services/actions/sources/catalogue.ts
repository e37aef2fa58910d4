/** What a session, or the organisation, may do: every integration with its actions and their modes. */
import type { AvailableIntegration } from "#contracts/actions/definition";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { DomainError } from "#contracts/errors";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { askedOf, triggerOfSession } from "../../policy/deciding/ask-policy.ts";
import { loadPolicy } from "../../policy/commands.ts";
import { type ActionAsked, decideMode } from "../../policy/deciding/decide-mode.ts";
import type { PolicyState } from "../../policy/aggregate/state.ts";
import { hasConnection } from "../../sessions/connections/granted-connections.ts";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import { unlessAborted } from "../../unless-aborted.ts";
import type { ActionRegistry } from "./registry.ts";
import { sourceProblem } from "./source-problem.ts";
import type { ActionSource } from "./source.ts";

export interface CatalogueDeps {
  readonly store: EventStore;
  readonly registry: ActionRegistry;
  readonly log: Log;
  readonly clock: () => Date;
  /** How long to wait for integrations that are slow to list their actions, in milliseconds. */
  readonly patienceMs?: number;
}

/**
 * The modes are those of a call without parameters: a rule with conditions may decide otherwise when the
 * action is asked for. An integration that cannot be listed now says why and has no actions: the others
 * still work. All are asked at once (an organisation has a few dozen at most), and none is waited for long.
 *
 * @param session null for what holds where no session or automation has rules of its own
 */
export const listAvailable = async (
  { store, registry, log, clock, patienceMs = defaultPatienceMs }: CatalogueDeps,
  organization: OrganizationId,
  session: { readonly id: SessionId; readonly state: ExistingSession } | null,
): Promise<AvailableIntegration[]> => {
  const [policy, sources, triggerId] = await Promise.all([
    loadPolicy(store, organization),
    registry.sourcesOf(organization),
    session && triggerOfSession(store, organization, session.state),
  ]);
  const context = { params: {}, sessionId: session?.id ?? null, triggerId, now: clock() };
  const patience = AbortSignal.timeout(patienceMs);
  const granted = sources.filter(({ id }) => session === null || hasConnection(session.state, id));
  return Promise.all(
    granted.map(async (source) => {
      try {
        return await unlessAborted(listOne(source, policy, context), patience);
      } catch (error) {
        log.warn({ err: error, integration: source.id }, "an integration could not be listed");
        return unlisted(source, sourceProblem(error, patience.aborted));
      }
    }),
  );
};

/** How long the list may keep an agent waiting. What is listed later is known at the next time. */
const defaultPatienceMs = 5_000;

const listOne = async (
  source: ActionSource,
  policy: PolicyState,
  context: Pick<ActionAsked, "params" | "sessionId" | "triggerId"> & { readonly now: Date },
): Promise<AvailableIntegration> => {
  const definitions = await source.list();
  return {
    id: source.id,
    name: source.name,
    problem: null,
    leftOut: [...((await source.leftOut?.()) ?? [])],
    actions: definitions.map((definition) => {
      const asked = askedOf({ ...context, integration: source.id, definition });
      const { mode, source: modeSource, drifted } = decideMode(policy, asked);
      return { ...definition, mode, modeSource, drifted };
    }),
  };
};

const unlisted = (
  { id, name }: ActionSource,
  { code, message }: DomainError,
): AvailableIntegration => ({ id, name, problem: { code, message }, leftOut: [], actions: [] });
