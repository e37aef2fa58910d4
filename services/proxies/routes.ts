import { openProxy } from "#contracts/http/proxies";
import type { EventStore } from "#event-store/event-store";
import { handleRoute, type RouteHandler } from "../gateway/handle-route.ts";
import type { ProxyTicket, Signed } from "../identity/signed-tokens.ts";
import { requireMayChange, requireSession } from "../sessions/permissions.ts";
import { proxyPath } from "./admit.ts";

export interface ProxyRoutesDeps {
  readonly store: EventStore;
  readonly signTicket: (ticket: ProxyTicket) => Promise<Signed>;
}

export const proxyRoutes = ({ store, signTicket }: ProxyRoutesDeps): readonly RouteHandler[] => [
  handleRoute(openProxy, async ({ principal, params: { sessionId }, body }) => {
    const { organizationId, userId } = principal;
    const ref = { organization: organizationId, session: sessionId };
    if (body.access === "write") await requireMayChange(store, ref, principal);
    else await requireSession(store, ref);
    const { token, expiresAt } = await signTicket({ sessionId, organizationId, userId, ...body });
    const path = `${proxyPath}/${sessionId}/${token}/${body.target}/`;
    return { status: 200, body: { path, expiresAt } };
  }),
];
