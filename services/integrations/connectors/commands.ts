import type { ConnectorCommand } from "#contracts/connector/commands";
import { derivedId, type OrganizationId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { loadAggregate } from "#event-store/aggregates/load";
import type { Secrets } from "../../secrets/secrets.ts";
import { forgetCredentials } from "./credentials.ts";
import {
  connectorDecider,
  connectorNotFound,
  type ConnectorRecord,
  type ConnectorState,
  findConnector,
} from "./decider.ts";

const aggregate = { aggregate: "connector", decider: connectorDecider } as const;

/** All connectors of an organisation are one aggregate; its id follows from the organisation's. */
const refOf = (organization: OrganizationId): { organization: OrganizationId; id: string } => ({
  organization,
  id: derivedId("connector", organization),
});

export interface ConnectorKey {
  readonly organization: OrganizationId;
  readonly connector: string;
}

export interface ConnectorsDeps {
  readonly store: EventStore;
  readonly secrets: Secrets;
}

export const loadConnectors = async (
  store: EventStore,
  organization: OrganizationId,
): Promise<ConnectorState> => (await loadAggregate(store, aggregate, refOf(organization))).state;

/** @throws DomainError `connector_not_found` */
export const requireConnector = async (
  store: EventStore,
  { organization, connector }: ConnectorKey,
): Promise<ConnectorRecord> => {
  const found = findConnector(await loadConnectors(store, organization), connector);
  if (!found) throw connectorNotFound(connector);
  return found;
};

export const commandConnector = async (
  store: EventStore,
  organization: OrganizationId,
  command: ConnectorCommand,
  meta: CommandMeta,
): Promise<Position> =>
  (await execute(store, aggregate, refOf(organization), command, meta)).position;

/** The credentials go last, so that a connector which the log tells of never lacks them. */
export const remove = async (
  { store, secrets }: ConnectorsDeps,
  { organization, connector }: ConnectorKey,
  meta: CommandMeta,
): Promise<Position> => {
  const former = findConnector(await loadConnectors(store, organization), connector)?.credentials;
  const command = { type: "RemoveConnector", connector } as const;
  const position = await commandConnector(store, organization, command, meta);
  if (former) await forgetCredentials(secrets, { organization, credentials: former });
  return position;
};
