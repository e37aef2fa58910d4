import type { OrganizationId } from "#contracts/ids";
import type { OrganizationCommand } from "#contracts/organization/commands";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { loadKept } from "#event-store/aggregates/kept-aggregates";
import type { LoadedAggregate } from "#event-store/aggregates/load";
import { organizationDecider, type OrganizationState } from "./decider.ts";

const definition = { aggregate: "organization", decider: organizationDecider } as const;

/** An organisation's settings are one aggregate, and its id is the organisation's. */
const keyOf = (organization: OrganizationId) => ({ organization, id: organization });

/** As the log has them now; of an organisation that has set nothing, the initial state. */
export const loadOrganization = (
  store: EventStore,
  organization: OrganizationId,
): Promise<LoadedAggregate<OrganizationState>> => loadKept(store, definition, keyOf(organization));

/** Changes the settings; what is so already changes nothing. */
export const changeOrganization = async (
  store: EventStore,
  organization: OrganizationId,
  command: OrganizationCommand,
  meta: CommandMeta,
): Promise<Position> =>
  (await execute(store, definition, keyOf(organization), command, meta)).position;
