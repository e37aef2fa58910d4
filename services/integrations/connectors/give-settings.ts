/** How connectors get their settings: tried first, and taken only if they work. */
import type { ConnectorSettings, ConnectorSettingsChange } from "#contracts/http/connectors";
import { newId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import { changedSettings } from "./changed-settings.ts";
import {
  commandConnector,
  type ConnectorKey,
  type ConnectorsDeps,
  loadConnectors,
  requireConnector,
} from "./commands.ts";
import { type ConnectorCredentials, forgetCredentials, putCredentials } from "./credentials.ts";
import { type ConnectorRecord, findConnector, isAuthorized } from "./decider.ts";
import type { OpenConnectorDeps } from "./open-connector.ts";
import { splitSettings } from "./settings.ts";
import { tryConnector } from "./try-connector.ts";

export type GiveSettingsDeps = ConnectorsDeps & OpenConnectorDeps;

/**
 * One that a person has to authorize first is not tried.
 *
 * @throws DomainError `connector_exists`, `too_many_connectors`, and as {@link tryConnector}
 */
export const createConnector = (
  deps: GiveSettingsDeps,
  key: ConnectorKey,
  { name, settings }: { readonly name: string; readonly settings: ConnectorSettings },
  meta: CommandMeta,
): Promise<Position> => {
  const { target, credentials: value } = splitSettings(settings);
  return withCredentials(deps, key, value, async (credentials) => {
    const given = { target, credentials };
    await tryOut(deps, key, { name, ...given, authorized: isAuthorized(given, null) });
    const { organization, connector } = key;
    const command = { type: "CreateConnector", connector, name, ...given } as const;
    return commandConnector(deps.store, organization, command, meta);
  });
};

/**
 * What is left out stays. The former credentials are forgotten last, if they lose their place; what a death
 * leaves behind is encrypted and named by nothing.
 *
 * @throws DomainError `connector_not_found`, `connector_changed` by somebody else in the meantime, those of
 * {@link changedSettings}, and as {@link tryConnector}
 */
export const changeConnector = async (
  deps: GiveSettingsDeps,
  key: ConnectorKey,
  {
    name = null,
    settings,
  }: {
    readonly name?: string | null | undefined;
    readonly settings?: ConnectorSettingsChange | undefined;
  },
  meta: CommandMeta,
): Promise<Position> => {
  const { store, secrets } = deps;
  const { organization, connector } = key;
  const command = { type: "ChangeConnector", connector, name } as const;
  if (!settings) return commandConnector(store, organization, { ...command, settings: null }, meta);
  const former = await requireConnector(store, key);
  const { target, credentials: value } = changedSettings(former.target, settings);
  const { target: formerTarget, credentials: formerCredentials } = former;
  const position = await withCredentials(
    deps,
    key,
    value === "kept" ? null : value,
    async (fresh) => {
      const to = { target, credentials: value === "kept" ? formerCredentials : fresh };
      await tryOut(deps, key, { ...former, ...to, authorized: isAuthorized(to, former) });
      const from = { target: formerTarget, credentials: formerCredentials };
      return commandConnector(store, organization, { ...command, settings: { from, to } }, meta);
    },
  );
  if (formerCredentials && value !== "kept") {
    await forgetCredentials(secrets, { organization, credentials: formerCredentials });
  }
  return position;
};

const tryOut = async (
  deps: OpenConnectorDeps,
  key: ConnectorKey,
  record: ConnectorRecord,
): Promise<void> => {
  if (record.authorized) await tryConnector(deps, { ...key, record });
};

type CredentialsId = ConnectorRecord["credentials"];

/** The credentials come first: a connector that the log tells of has some, wherever we die. */
const withCredentials = async (
  { store, secrets }: ConnectorsDeps,
  { organization, connector }: ConnectorKey,
  value: ConnectorCredentials | null,
  take: (credentials: CredentialsId) => Promise<Position>,
): Promise<Position> => {
  if (value === null) return take(null);
  const credentials = newId("credentials");
  await putCredentials(secrets, { organization, credentials }, value);
  try {
    return await take(credentials);
  } catch (error) {
    // Whether the command was carried out may not be known.
    const found = findConnector(await loadConnectors(store, organization), connector);
    if (found?.credentials !== credentials) {
      await forgetCredentials(secrets, { organization, credentials });
    }
    throw error;
  }
};
