/** What people do with configurations, and what sessions are made from. */
import type { ConfigurationChanges, ConfigurationCommand } from "#contracts/configuration/commands";
import type { ConfigurationSettings } from "#contracts/configuration/settings";
import {
  type ConfigurationId,
  derivedId,
  newId,
  type OrganizationId,
  type UserId,
} from "#contracts/ids";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { loadAggregate } from "#event-store/aggregates/load";
import { fingerprintOf } from "../sessions/fingerprint.ts";
import { configurationAggregate, configurationArchived, configurationNotFound } from "./decider.ts";
import type { ExistingConfiguration } from "./state.ts";

/** One configuration of one organisation. */
export interface ConfigurationRef {
  readonly organization: OrganizationId;
  readonly id: ConfigurationId;
}

export interface NewConfiguration {
  readonly name: string;
  readonly settings: ConfigurationSettings;
  readonly createdBy: UserId;
  /** The same key of the same organisation is the same configuration; null for a new one in any case. */
  readonly idempotencyKey: string | null;
}

/** @throws DomainError `idempotency_key_reused` */
export const createConfiguration = async (
  store: EventStore,
  organization: OrganizationId,
  { name, settings, createdBy, idempotencyKey }: NewConfiguration,
  meta: CommandMeta,
): Promise<{ readonly configurationId: ConfigurationId; readonly position: Position }> => {
  const id =
    idempotencyKey === null
      ? newId("configuration")
      : derivedId("configuration", organization, idempotencyKey);
  const fingerprint = fingerprintOf({ name, settings, createdBy });
  const command = { type: "CreateConfiguration", name, settings, createdBy, fingerprint } as const;
  const position = await carryOut(store, { organization, id }, command, meta);
  return { configurationId: id, position };
};

/** @throws DomainError `configuration_not_found`, `configuration_archived` */
export const changeConfiguration = (
  store: EventStore,
  ref: ConfigurationRef,
  changes: ConfigurationChanges,
  meta: CommandMeta,
): Promise<Position> => carryOut(store, ref, { type: "ChangeConfiguration", changes }, meta);

/** @throws DomainError `configuration_not_found` */
export const archiveConfiguration = (
  store: EventStore,
  ref: ConfigurationRef,
  meta: CommandMeta,
): Promise<Position> => carryOut(store, ref, { type: "ArchiveConfiguration" }, meta);

const carryOut = async (
  store: EventStore,
  ref: ConfigurationRef,
  command: ConfigurationCommand,
  meta: CommandMeta,
): Promise<Position> => (await execute(store, configurationAggregate, ref, command, meta)).position;

/**
 * The configuration that a session is to be made from.
 * @throws DomainError `configuration_not_found`, `configuration_archived`
 */
export const requireConfiguration = async (
  store: EventStore,
  ref: ConfigurationRef,
): Promise<ExistingConfiguration> => {
  const { state } = await loadAggregate(store, configurationAggregate, ref);
  if (state.status === "none") throw configurationNotFound();
  if (state.status === "archived") throw configurationArchived();
  return state;
};
