import * as http from "#contracts/http/environment";
import { handleRoute, type RouteHandler } from "../../gateway/routes/handle-route.ts";
import { provideEnvVariables, type SessionCommandsDeps } from "../commands.ts";
import { requireRoom } from "../aggregate/decide-asked.ts";
import { requireMayChange } from "../permissions.ts";
import { requireSession, sessionStopped } from "../session-log.ts";
import { metaOf } from "../../gateway/requests/request-meta.ts";
import { refOf } from "../session-request.ts";
import type { SessionValues } from "./session-values.ts";

export interface EnvironmentRoutesDeps extends Pick<SessionCommandsDeps, "store" | "log"> {
  readonly values: SessionValues;
}

export const environmentRoutes = (deps: EnvironmentRoutesDeps): readonly RouteHandler[] => [
  handleRoute(http.getEnvironment, async (request) => {
    const { environment, envRequests } = await requireSession(deps.store, refOf(request));
    const requests = envRequests.map(({ requestId, keys }) => ({ requestId, keys: [...keys] }));
    return { status: 200, body: { names: [...environment.names], requests } };
  }),
  handleRoute(http.provideEnvVariables, async (request) => {
    const { principal, body } = request;
    const ref = refOf(request);
    // All before anything is kept: of what is refused nothing may stay.
    const state = await requireMayChange(deps.store, ref, principal);
    if (state.status === "stopped") throw sessionStopped(ref);
    requireRoom(state.environment, Object.keys(body.values));
    const given = { values: body.values, by: principal.userId };
    const position = await provideEnvVariables(deps, ref, given, metaOf(request));
    return { status: 202, body: { position } };
  }),
];
