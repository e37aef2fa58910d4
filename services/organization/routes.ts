import * as http from "#contracts/http/organization";
import type { OrganizationCommand } from "#contracts/organization/commands";
import type { AutoDeleteDefault } from "#contracts/organization/view";
import type { Position } from "#contracts/position";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import { actorOf, type Principal } from "../gateway/authentication/principal.ts";
import { changeOrganization, loadOrganization } from "./commands.ts";
import { ownAutoDeleteDays } from "./decider.ts";

export interface OrganizationRoutesDeps {
  readonly store: EventStore;
  /** The deployment's, for organisations that have said nothing; null: never. */
  readonly deploymentAutoDeleteDays: number | null;
}

export const organizationRoutes = ({
  store,
  deploymentAutoDeleteDays,
}: OrganizationRoutesDeps): readonly RouteHandler[] => [
  handleRoute(http.getAutoDeleteDefault, async ({ principal }) => {
    const { state } = await loadOrganization(store, principal.organizationId);
    const own = ownAutoDeleteDays(state);
    const body: AutoDeleteDefault =
      own === undefined
        ? { days: deploymentAutoDeleteDays, setBy: "deployment" }
        : { days: own, setBy: "organization" };
    return { status: 200, body };
  }),
  handleRoute(http.setAutoDeleteDefault, async (request) => {
    const command = { type: "SetAutoDeleteDefault", ...request.body } as const;
    return { status: 202, body: { position: await change(store, request, command) } };
  }),
  handleRoute(http.clearAutoDeleteDefault, async (request) => {
    const command = { type: "ClearAutoDeleteDefault" } as const;
    return { status: 202, body: { position: await change(store, request, command) } };
  }),
];

interface Requested {
  readonly principal: Extract<Principal, { kind: "user" }>;
  readonly correlationId: string;
}

const change = (
  store: EventStore,
  { principal, correlationId }: Requested,
  command: OrganizationCommand,
): Promise<Position> =>
  changeOrganization(
    store,
    principal.organizationId,
    command,
    newCommandMeta({ actor: actorOf(principal), correlationId }),
  );
