import { DomainError } from "#contracts/errors";
import { openProxy } from "#contracts/http/proxies";
import type { EventStore } from "#event-store/event-store";
import { loadAggregate } from "#event-store/load";
import { handleRoute, type RouteHandler } from "../gateway/handle-route.ts";
import type { ProxyTicket, Signed } from "../identity/signed-tokens.ts";
import { sessionAggregate } from "../sessions/decider.ts";
import { requireAuthor } from "../sessions/require-author.ts";
import { proxyPath } from "./admit.ts";

export interface ProxyRoutesDeps {
  readonly store: EventStore;
  readonly signTicket: (ticket: ProxyTicket) => Promise<Signed>;
}

export const proxyRoutes = ({ store, signTicket }: ProxyRoutesDeps): readonly RouteHandler[] => [
  handleRoute(openProxy, async ({ principal, params: { sessionId }, body }) => {
    const { organizationId, userId } = principal;
    const { state } = await loadAggregate(store, sessionAggregate, {
      organization: organizationId,
      id: sessionId,
    });
    if (state.status === "none") {
      throw new DomainError("session_not_found", "There is no such session.");
    }
    if (body.access === "write") {
      requireAuthor(state, principal, "change what is in its sandbox");
    }
    const { token, expiresAt } = await signTicket({ sessionId, organizationId, userId, ...body });
    const path = `${proxyPath}/${sessionId}/${token}/${body.target}/`;
    return { status: 200, body: { path, expiresAt } };
  }),
];
