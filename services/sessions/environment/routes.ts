import { DomainError } from "#contracts/errors";
import * as http from "#contracts/http/environment";
import { loadAggregate } from "#event-store/load";
import { handleRoute, type RouteHandler } from "../../gateway/handle-route.ts";
import { provideEnvVariables, type SessionCommandsDeps, type SessionRef } from "../commands.ts";
import { requireRoom } from "../decide-asked.ts";
import { sessionAggregate } from "../decider.ts";
import { requireAuthor } from "../require-author.ts";
import { metaOf, notFound, refOf } from "../session-request.ts";
import type { ExistingSession } from "../state.ts";
import type { SessionValues } from "./session-values.ts";

export interface EnvironmentRoutesDeps extends Pick<SessionCommandsDeps, "store" | "log"> {
  readonly values: SessionValues;
}

export const environmentRoutes = (deps: EnvironmentRoutesDeps): readonly RouteHandler[] => [
  handleRoute(http.getEnvironment, async (request) => {
    const { environment, envRequests } = await load(deps, refOf(request));
    const requests = envRequests.map(({ requestId, keys }) => ({ requestId, keys: [...keys] }));
    return { status: 200, body: { names: [...environment.names], requests } };
  }),
  handleRoute(http.provideEnvVariables, async (request) => {
    const { principal, body } = request;
    const ref = refOf(request);
    // All before anything is kept: of what is refused nothing may stay.
    const state = await load(deps, ref);
    requireAuthor(state, principal, "give its agent values");
    if (state.status === "stopped") {
      throw new DomainError("session_stopped", "The session was deleted.");
    }
    requireRoom(state.environment, Object.keys(body.values));
    const given = { values: body.values, by: principal.userId };
    const position = await provideEnvVariables(deps, ref, given, metaOf(request));
    return { status: 202, body: { position } };
  }),
];

const load = async (
  { store }: EnvironmentRoutesDeps,
  { organization, session }: SessionRef,
): Promise<ExistingSession> => {
  const { state } = await loadAggregate(store, sessionAggregate, { organization, id: session });
  if (state.status === "none") throw notFound();
  return state;
};
