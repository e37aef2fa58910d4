import type { Readable } from "node:stream";
import type { Sql } from "postgres";
import type { z } from "zod";
import * as http from "#contracts/http/sessions";
import type { OrganizationId, SessionId, UserId } from "#contracts/ids";
import type { LiveAccess } from "#contracts/live/client-frames";
import { type WorkspaceRepository, workspaceRoot } from "#contracts/repository";
import { getSession, listSessions } from "#projections/sessions/queries";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import type { Principal } from "../gateway/authentication/principal.ts";
import * as commands from "./commands.ts";
import { createSession, type CreateSessionDeps } from "./creation/create-session.ts";
import { environmentRoutes } from "./environment/routes.ts";
import type { SessionValues } from "./environment/session-values.ts";
import { requireMayChange } from "./permissions.ts";
import { promptRoutes } from "./prompt-routes.ts";
import { readTranscript } from "./transcript/read-transcript.ts";
import { serviceTrialRoutes } from "./service-trial/routes.ts";
import { requireSession, sessionNotFound } from "./session-log.ts";
import { telemetryOf } from "./telemetry.ts";
import { type CommandingRequest, metaOf } from "../gateway/requests/request-meta.ts";
import { refOf, type SessionRequest } from "./session-request.ts";

export interface SessionRoutesDeps extends CreateSessionDeps {
  readonly values: SessionValues;
  /** The read models. */
  readonly sql: Sql;
  /** Where browsers and CLIs open WebSockets, for example `wss://host/v1/live`. */
  readonly liveUrl: string;
  readonly signLiveTicket: (ticket: {
    readonly sessionId: SessionId;
    readonly organizationId: OrganizationId;
    readonly userId: UserId;
    readonly access: LiveAccess;
  }) => Promise<{ readonly token: string; readonly expiresAt: string }>;
  /** What the live channel tells, as server-sent events; see `fanout/event-streams.ts`. */
  readonly openEventStream: (watch: Watcher & { readonly lastEventId: string | null }) => Readable;
}

export const sessionRoutes = (deps: SessionRoutesDeps): readonly RouteHandler[] => [
  ...queryRoutes(deps),
  ...commandRoutes(deps),
  ...promptRoutes(deps),
  ...environmentRoutes(deps),
  ...serviceTrialRoutes(deps),
  openLiveRoute(deps),
  streamLiveRoute(deps),
];

const queryRoutes = ({ sql }: SessionRoutesDeps): readonly RouteHandler[] => [
  handleRoute(http.listSessions, async ({ principal, query }) => ({
    status: 200,
    body: await listSessions(sql, { organization: principal.organizationId, ...query }),
  })),
  handleRoute(http.getSession, async ({ principal, params }) => ({
    status: 200,
    body: await requireView(sql, principal.organizationId, params.sessionId),
  })),
  handleRoute(http.getSessionTelemetry, async ({ principal, params }) => ({
    status: 200,
    body: await telemetryOf(
      sql,
      await requireView(sql, principal.organizationId, params.sessionId),
    ),
  })),
  handleRoute(http.listMessages, async ({ principal, params }) => {
    const organization = principal.organizationId;
    await requireView(sql, organization, params.sessionId);
    return {
      status: 200,
      body: { messages: await readTranscript(sql, organization, params.sessionId) },
    };
  }),
];

const commandRoutes = (deps: SessionRoutesDeps): readonly RouteHandler[] => [
  handleRoute(http.createSession, async (request) => {
    const { body, headers, principal } = request;
    const created = await createSession(
      deps,
      {
        organization: principal.organizationId,
        title: body.title,
        origin: { kind: "user", userId: principal.userId },
        kind: body.kind,
        repositories: repositoriesOf(body),
        configurationId: body.configurationId,
        parentId: body.parentId,
        connections: body.connections,
        provisioning: body.provisioning,
        model: body.model,
        systemPrompt: body.systemPrompt,
        prompt: body.prompt === undefined ? null : { text: body.prompt, by: principal.userId },
        idempotencyKey: headers["idempotency-key"] ?? null,
      },
      metaOf(request),
    );
    const headersOut = { location: `/v1/sessions/${created.sessionId}` };
    return {
      status: 201,
      body: { ...created, excludedConnections: [...created.excludedConnections] },
      headers: headersOut,
    };
  }),
  handleRoute(http.promptSession, async (request) => ({
    status: 202,
    body: await commands.queuePrompt(
      deps,
      refOf(request),
      {
        text: request.body.text,
        by: request.principal.userId,
        idempotencyKey: request.headers["idempotency-key"] ?? null,
      },
      metaOf(request),
    ),
  })),
  handleRoute(http.cancelSession, async (request) => ({
    status: 202,
    body: { position: await commands.cancelPrompts(deps, refOf(request), metaOf(request)) },
  })),
  handleRoute(http.pauseSession, async (request) => {
    await requireMayChange(deps.store, refOf(request), request.principal);
    const position = await commands.pauseSession(deps, refOf(request), metaOf(request));
    return { status: 202, body: { position } };
  }),
  handleRoute(http.resumeSession, async (request) => ({
    status: 202,
    body: { position: await commands.resumeSession(deps, refOf(request), metaOf(request)) },
  })),
  handleRoute(http.renameSession, async (request) => {
    const { title } = request.body;
    await requireMayChange(deps.store, refOf(request), request.principal);
    const position = await commands.renameSession(deps, refOf(request), title, metaOf(request));
    return { status: 202, body: { position } };
  }),
  handleRoute(http.setAutoDelete, async (request) => {
    await requireMayChange(deps.store, refOf(request), request.principal);
    const { days } = request.body;
    const position = await commands.setAutoDelete(deps, refOf(request), days, metaOf(request));
    return { status: 202, body: { position } };
  }),
  handleRoute(http.deleteSession, async (request) => {
    await requireMayChange(deps.store, refOf(request), request.principal);
    const erase = request.query.erase === "true";
    const meta = metaOf(request);
    const position = await commands.deleteSession(deps, refOf(request), meta, { erase });
    return { status: 202, body: { position } };
  }),
];

type CreateSessionBody = z.infer<typeof http.createSession.body>;

const repositoriesOf = ({ repository, repositories }: CreateSessionBody): WorkspaceRepository[] => {
  if (repositories !== undefined) return repositories;
  return repository ? [{ ...repository, path: workspaceRoot }] : [];
};

const openLiveRoute = (deps: SessionRoutesDeps): RouteHandler =>
  handleRoute(http.openLiveChannel, async (request) => {
    await welcomeWatcher(deps, request);
    const { token, expiresAt } = await deps.signLiveTicket({
      ...watcherOf(request),
      access: request.query.access,
    });
    return { status: 200, body: { url: `${deps.liveUrl}?ticket=${token}`, expiresAt } };
  });

const streamLiveRoute = (deps: SessionRoutesDeps): RouteHandler =>
  handleRoute(http.streamLive, async (request) => {
    await welcomeWatcher(deps, request);
    const lastEventId = request.headers["last-event-id"] ?? null;
    return {
      status: 200,
      body: deps.openEventStream({ ...watcherOf(request), lastEventId }),
      // The second is for nginx, which would wait for more otherwise.
      headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
    };
  });

type Watcher = Omit<Parameters<SessionRoutesDeps["signLiveTicket"]>[0], "access">;
type WatchRequest = SessionRequest &
  CommandingRequest & { readonly principal: Extract<Principal, { kind: "user" }> };

const watcherOf = ({ principal, params }: WatchRequest): Watcher => ({
  sessionId: params.sessionId,
  organizationId: principal.organizationId,
  userId: principal.userId,
});

/**
 * Whoever watches a paused session wants it back, and one that is found idle is not idle any more; a
 * stopped one can still be read.
 */
const welcomeWatcher = async (deps: SessionRoutesDeps, request: WatchRequest): Promise<void> => {
  const state = await requireSession(deps.store, refOf(request));
  if (
    state.status === "paused" ||
    state.deferred ||
    (state.status === "running" && state.idlePause !== null)
  ) {
    await commands.resumeSession(deps, refOf(request), metaOf(request));
  }
};

const requireView = async (sql: Sql, organization: OrganizationId, id: SessionId) => {
  const view = await getSession(sql, { organization, id });
  if (!view) throw sessionNotFound({ session: id });
  return view;
};
