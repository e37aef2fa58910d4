import { DomainError } from "#contracts/errors";
import { openProxy } from "#contracts/http/proxies";
import type { SessionId } from "#contracts/ids";
import type { ProxyAccess } from "#contracts/proxies/target";
import type { EventStore } from "#event-store/event-store";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import type { ProxyTicket, Signed } from "../identity/signed-tokens.ts";
import { requireMayChange } from "../sessions/permissions.ts";
import { requireSession } from "../sessions/session-log.ts";
import { type AdmitDeps, proxyPath } from "./admit.ts";
import type { PageOrigins } from "./page-origins.ts";

export interface ProxyRoutesDeps extends Pick<AdmitDeps, "pages"> {
  readonly store: EventStore;
  readonly signTicket: (ticket: ProxyTicket) => Promise<Signed>;
}

export const proxyRoutes = ({
  store,
  signTicket,
  pages,
}: ProxyRoutesDeps): readonly RouteHandler[] => [
  handleRoute(openProxy, async ({ principal, params: { sessionId }, body }) => {
    const { organizationId, userId } = principal;
    const origin = body.target === "vscode" ? editorOrigin(pages(), sessionId, body.access) : null;
    const ref = { organization: organizationId, session: sessionId };
    if (body.access === "write") await requireMayChange(store, ref, principal);
    else await requireSession(store, ref);
    const { token, expiresAt } = await signTicket({ sessionId, organizationId, userId, ...body });
    const path = `${proxyPath}/${sessionId}/${token}/${body.target}/`;
    return { status: 200, body: { path, origin, expiresAt } };
  }),
];

const editorOrigin = (
  pages: PageOrigins | null,
  session: SessionId,
  access: ProxyAccess,
): string => {
  if (access === "read") {
    throw new DomainError("request_invalid", "An editor is opened for writing.");
  }
  if (pages === null) {
    throw new DomainError(
      "proxy_origin_missing",
      "Editors need hosts of their own: set SANDBOX_PAGES_URL.",
    );
  }
  return pages.of(session);
};
