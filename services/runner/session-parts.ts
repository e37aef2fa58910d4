/** What a runner needs of the other domains to own sessions, on one platform. */
import { openAgentToolDesk } from "../actions/agent-tools/desk.ts";
import { listAvailable } from "../actions/sources/catalogue.ts";
import type { ActionRegistry } from "../actions/sources/registry.ts";
import { requireSession } from "../sessions/session-log.ts";
import { openSessionLimits } from "../actions/requests/session-limits.ts";
import { openDirectory } from "../identity/directory.ts";
import { rememberingUsers } from "../identity/known-users.ts";
import type { Platform } from "../platform.ts";
import { createRuleBudgets } from "../policy/budgets/budgets.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { createSessionValues } from "../sessions/environment/session-values.ts";
import type { RunnerDeps } from "./owner-context.ts";

export type SessionParts = Pick<
  RunnerDeps,
  "values" | "findUser" | "agentTools" | "availableActions"
>;

export const openSessionParts = async (
  { store, sql, log }: Pick<Platform, "store" | "sql" | "log">,
  { registry, secrets }: { readonly registry: ActionRegistry; readonly secrets: Secrets },
): Promise<SessionParts> => {
  const clock = (): Date => new Date();
  return {
    values: createSessionValues(secrets),
    findUser: rememberingUsers((await openDirectory(sql)).findUser, clock),
    agentTools: openAgentToolDesk({
      store,
      clock,
      limits: await openSessionLimits(store, clock),
      budgets: createRuleBudgets(store),
    }),
    availableActions: async (session) => {
      const { organization, sessionId: id } = session;
      const state = await requireSession(store, { organization, session: id });
      return listAvailable({ store, registry, log, clock }, organization, { id, state });
    },
  };
};
