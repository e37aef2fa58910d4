import * as http from "#contracts/http/services";
import { newId } from "#contracts/ids";
import { handleRoute, type RouteHandler } from "../../gateway/routes/handle-route.ts";
import { metaOf } from "../../gateway/requests/request-meta.ts";
import { refOf } from "../session-request.ts";
import { requestServiceTrial, type TrialDeps } from "./request-trial.ts";

export const serviceTrialRoutes = (deps: TrialDeps): readonly RouteHandler[] => [
  handleRoute(http.runServices, async (request) => {
    const { principal, headers } = request;
    const requestId = headers["idempotency-key"] ?? newId("command");
    const asked = { userId: principal.userId, role: principal.role, requestId };
    const position = await requestServiceTrial(deps, refOf(request), asked, metaOf(request));
    return { status: 202, body: { position, requestId } };
  }),
];
