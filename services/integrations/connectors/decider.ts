/** The connectors of an organisation. The state is plain JSON, because snapshots of it are stored. */
import { isDeepStrictEqual } from "node:util";
import { assertNever } from "#contracts/assert-never";
import type { ConnectorCommand } from "#contracts/connector/commands";
import type { ConnectorEvent, ConnectorTarget } from "#contracts/connector/events";
import { DomainError } from "#contracts/errors";
import type { Id } from "#contracts/ids";
import type { Decider } from "#event-store/aggregates/decider";

export interface ConnectorRecord {
  readonly name: string;
  readonly target: ConnectorTarget;
  readonly credentials: Id<"credentials"> | null;
  /** Whether it can be used: false until a person has authorized it, where that is needed. */
  readonly authorized: boolean;
}

export interface ConnectorState {
  readonly connectors: Readonly<Record<string, ConnectorRecord>>;
}

const maxConnectors = 50;

export const connectorDecider: Decider<ConnectorCommand, ConnectorEvent, ConnectorState> = {
  initialState: () => ({ connectors: {} }),

  decide: (command, state) => {
    const { connector } = command;
    const known = findConnector(state, connector);
    switch (command.type) {
      case "CreateConnector": {
        if (known) throw connectorExists(connector);
        if (Object.keys(state.connectors).length >= maxConnectors) throw tooMany();
        const { name, target, credentials } = command;
        return [{ type: "ConnectorCreated", data: { connector, name, target, credentials } }];
      }
      case "ChangeConnector": {
        if (!known) throw connectorNotFound(connector);
        const { name, settings } = command;
        const renamed: readonly ConnectorEvent[] =
          name === null || name === known.name
            ? []
            : [{ type: "ConnectorRenamed", data: { connector, name } }];
        return settings === null ? renamed : [...renamed, ...changed(connector, known, settings)];
      }
      case "AuthorizeConnector": {
        if (!known) throw connectorNotFound(connector);
        // The settings were changed while the person was away.
        if (known.credentials !== command.credentials) throw authorizationInvalid();
        return [{ type: "ConnectorAuthorized", data: { connector } }];
      }
      case "RemoveConnector":
        return known ? [{ type: "ConnectorRemoved", data: { connector } }] : [];
      default:
        return assertNever(command);
    }
  },

  evolve: (state, event) => {
    const { connector } = event.data;
    const { [connector]: former, ...others } = state.connectors;
    const known = findConnector(state, connector) && former;
    const having = (record: ConnectorRecord): ConnectorState => ({
      connectors: { ...others, [connector]: record },
    });
    switch (event.type) {
      case "ConnectorCreated": {
        const { name, target, credentials } = event.data;
        return having({
          name,
          target,
          credentials,
          authorized: isAuthorized({ target, credentials }, null),
        });
      }
      case "ConnectorChanged": {
        const { target, credentials, authorized } = event.data;
        return known ? having({ ...known, target, credentials, authorized }) : state;
      }
      case "ConnectorRenamed":
        return known ? having({ ...known, name: event.data.name }) : state;
      case "ConnectorAuthorized":
        return known ? having({ ...known, authorized: true }) : state;
      case "ConnectorRemoved":
        return { connectors: others };
      default:
        return assertNever(event);
    }
  },
};

type Settings = Pick<ConnectorRecord, "target" | "credentials">;

/** New credentials are other ones by their id, whatever they hold. */
const changed = (
  connector: string,
  known: ConnectorRecord,
  { from, to }: { readonly from: Settings; readonly to: Settings },
): readonly ConnectorEvent[] => {
  const has = ({ target, credentials }: Settings): boolean =>
    known.credentials === credentials && isDeepStrictEqual(known.target, target);
  if (has(to)) return [];
  // Somebody else was faster: what was left out of this change would take theirs back.
  if (!has(from)) throw connectorChanged(connector);
  const { target, credentials } = to;
  const authorized = isAuthorized(to, known);
  return [{ type: "ConnectorChanged", data: { connector, target, credentials, authorized } }];
};

/** Whether it can be used at once. @param former what it was before; null for a new one */
export const isAuthorized = (
  { target, credentials }: Settings,
  former: ConnectorRecord | null,
): boolean =>
  target.kind !== "mcp" ||
  target.auth !== "oauth" ||
  // What a person has let us have is in the credentials.
  (former !== null && former.credentials === credentials && former.authorized);

export const findConnector = (
  { connectors }: ConnectorState,
  connector: string,
): ConnectorRecord | undefined =>
  // `constructor` is a name like any other.
  Object.hasOwn(connectors, connector) ? connectors[connector] : undefined;

export const connectorNotFound = (connector: string): DomainError =>
  new DomainError("connector_not_found", `There is no connector "${connector}".`, {
    fields: { connector },
  });

export const connectorExists = (connector: string): DomainError =>
  new DomainError("connector_exists", `"${connector}" is the name of an integration already.`, {
    fields: { connector },
  });

const connectorChanged = (connector: string): DomainError =>
  new DomainError(
    "connector_changed",
    "Somebody else has changed the connector in the meantime. Look at it again.",
    { fields: { connector } },
  );

export const authorizationInvalid = (): DomainError =>
  new DomainError(
    "connector_authorization_invalid",
    "This authorization was begun by somebody else, or for other settings, or it is too old. Begin it again.",
  );

const tooMany = (): DomainError =>
  new DomainError(
    "too_many_connectors",
    `An organisation has ${maxConnectors} connectors at most.`,
  );
