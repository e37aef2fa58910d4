import { setActionMode as setActionModeRoute } from "#contracts/http/actions";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { handleRoute, type RouteHandler } from "../gateway/handle-route.ts";
import { actorOf } from "../gateway/principal.ts";
import { setActionMode } from "./commands.ts";

export const policyRoutes = (store: EventStore): readonly RouteHandler[] => [
  handleRoute(setActionModeRoute, async ({ params, body, principal, correlationId }) => {
    const meta = newCommandMeta({ actor: actorOf(principal), correlationId });
    const command = { integration: params.integration, action: params.action, mode: body.mode };
    const position = await setActionMode(store, principal.organizationId, command, meta);
    return { status: 202, body: { position } };
  }),
];
