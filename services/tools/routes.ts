import { DomainError } from "#contracts/errors";
import { callTool } from "#contracts/http/tools";
import { loadAggregate } from "#event-store/aggregates/load";
import { handleRoute, type RouteHandler } from "../gateway/handle-route.ts";
import { metaOf } from "../gateway/request-meta.ts";
import { sessionAggregate } from "../sessions/decider.ts";
import { checkCall } from "./check-call.ts";
import { runCall, type RunCallDeps } from "./run-call.ts";

export const toolRoutes = (deps: RunCallDeps): readonly RouteHandler[] => [
  handleRoute(callTool, async (request) => {
    const { principal, params, body } = request;
    const organization = principal.organizationId;
    const { sessionId: session, toolName } = params;
    const ref = { organization, id: session };
    const { state } = await loadAggregate(deps.store, sessionAggregate, ref);
    if (state.status === "none") {
      throw new DomainError("session_not_found", "There is no such session.");
    }
    if (state.status === "stopped") {
      throw new DomainError("session_stopped", "The session was deleted.");
    }
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
