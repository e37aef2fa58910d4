import { callTool } from "#contracts/http/tools";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import { metaOf } from "../gateway/requests/request-meta.ts";
import { requireUndeletedSession } from "../sessions/session-log.ts";
import { checkCall } from "./check-call.ts";
import { runCall, type RunCallDeps } from "./run-call.ts";

export const toolRoutes = (deps: RunCallDeps): readonly RouteHandler[] => [
  handleRoute(callTool, async (request) => {
    const { principal, params, body } = request;
    const organization = principal.organizationId;
    const { sessionId: session, toolName } = params;
    const state = await requireUndeletedSession(deps.store, { organization, session });
    const checked = checkCall(
      { toolName, args: body.args, toolSchemaVersion: body.tool_schema_version },
      state,
    );
    const answer = await runCall(
      deps,
      { ...checked, organization, session, callId: body.tool_call_id, state },
      metaOf(request),
    );
    return { status: 200, body: answer };
  }),
];
