import * as http from "#contracts/http/prompts";
import { loadAggregate } from "#event-store/load";
import { handleRoute, type RouteHandler } from "../gateway/handle-route.ts";
import * as commands from "./commands.ts";
import { sessionAggregate } from "./decider.ts";
import { metaOf, notFound, refOf } from "./session-request.ts";
import type { OpenPrompt } from "./state.ts";

export const promptRoutes = (deps: commands.SessionCommandsDeps): readonly RouteHandler[] => [
  handleRoute(http.listPrompts, async ({ principal, params }) => {
    const { state } = await loadAggregate(deps.store, sessionAggregate, {
      organization: principal.organizationId,
      id: params.sessionId,
    });
    if (state.status === "none") throw notFound();
    return { status: 200, body: { prompts: state.prompts.map(viewOf) } };
  }),
  handleRoute(http.changePrompt, async (request) => {
    const prompt = { promptId: request.params.promptId, text: request.body.text };
    const position = await commands.changePrompt(deps, refOf(request), prompt, metaOf(request));
    return { status: 202, body: { position } };
  }),
  handleRoute(http.withdrawPrompt, async (request) => {
    const { promptId } = request.params;
    const position = await commands.withdrawPrompt(deps, refOf(request), promptId, metaOf(request));
    return { status: 202, body: { position } };
  }),
];

const viewOf = ({ promptId, text, by, started, cancelRequested }: OpenPrompt) => ({
  promptId,
  text,
  by,
  status: cancelRequested
    ? ("cancelling" as const)
    : started
      ? ("started" as const)
      : ("queued" as const),
});
