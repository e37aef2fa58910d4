import { derivedId, type OrganizationId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { loadAggregate } from "#event-store/aggregates/load";
import type { Secrets } from "../../secrets/secrets.ts";
import type { VendorCredentials } from "../vendor/vendor.ts";
import { forgetCredentials, putCredentials, type VendorKey } from "./credentials.ts";
import { integrationDecider, type IntegrationState } from "./decider.ts";

const aggregate = { aggregate: "integration", decider: integrationDecider } as const;

/** All connections of an organisation are one aggregate; its id follows from the organisation's. */
const refOf = (organization: OrganizationId): { organization: OrganizationId; id: string } => ({
  organization,
  id: derivedId("integration", organization),
});

export interface ConnectionsDeps {
  readonly store: EventStore;
  readonly secrets: Secrets;
}

export const loadConnections = async (
  store: EventStore,
  organization: OrganizationId,
): Promise<IntegrationState["connected"]> =>
  (await loadAggregate(store, aggregate, refOf(organization))).state.connected;

/** The credentials come first: a connection that the log tells of has some, wherever we die. */
export const connect = async (
  { store, secrets }: ConnectionsDeps,
  key: VendorKey & { readonly credentials: VendorCredentials },
  meta: CommandMeta,
): Promise<Position> => {
  const { vendor, credentials } = key;
  await putCredentials(secrets, key, credentials);
  const command = { type: "ConnectIntegration", vendor, baseUrl: credentials.baseUrl } as const;
  return (await execute(store, aggregate, refOf(key.organization), command, meta)).position;
};

/** The credentials go last, and also if there was nothing to disconnect: the attempt before may have died. */
export const disconnect = async (
  { store, secrets }: ConnectionsDeps,
  key: VendorKey,
  meta: CommandMeta,
): Promise<Position> => {
  const command = { type: "DisconnectIntegration", vendor: key.vendor } as const;
  const { position } = await execute(store, aggregate, refOf(key.organization), command, meta);
  await forgetCredentials(secrets, key);
  return position;
};
