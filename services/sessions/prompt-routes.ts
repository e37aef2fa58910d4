import type { Sql } from "postgres";
import * as http from "#contracts/http/prompts";
import { authorOf } from "#contracts/transcript/author";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import { nameAuthors } from "../identity/name-authors.ts";
import * as commands from "./commands.ts";
import { metaOf } from "../gateway/requests/request-meta.ts";
import { requireSession } from "./session-log.ts";
import { refOf } from "./session-request.ts";
import type { OpenPrompt } from "./aggregate/state.ts";

export interface PromptRoutesDeps extends commands.SessionCommandsDeps {
  /** Where the authors' names are. */
  readonly sql: Sql;
}

export const promptRoutes = (deps: PromptRoutesDeps): readonly RouteHandler[] => [
  handleRoute(http.listPrompts, async (request) => {
    const ref = refOf(request);
    const prompts = (await requireSession(deps.store, ref)).prompts.map(viewOf);
    return {
      status: 200,
      body: { prompts: await nameAuthors(deps.sql, ref.organization, prompts) },
    };
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
  author: authorOf(by),
  status: cancelRequested
    ? ("cancelling" as const)
    : started
      ? ("started" as const)
      : ("queued" as const),
});
