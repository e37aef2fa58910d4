/** A connector as a source of actions. */
import type { ConnectorTarget } from "#contracts/connector/events";
import type { ActionSource } from "../../actions/sources/source.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import { createMcpSource } from "../mcp/mcp-source.ts";
import type { McpServer } from "../mcp/mcp-server.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { createPostgresSource } from "../postgres/postgres-source.ts";
import type { ConnectorKey } from "./commands.ts";
import { type CredentialsKey, getCredentials, noCredentials } from "./credentials.ts";
import type { ConnectorRecord } from "./decider.ts";
import type { AccessTokens } from "./oauth/access-tokens.ts";
import { addressOf } from "./settings.ts";

export interface OpenConnectorDeps {
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly accessTokens: AccessTokens;
}

interface KnownConnector extends ConnectorKey {
  readonly record: ConnectorRecord;
}

/** Nothing is connected, and no credentials are read, before the source is used. */
export const openConnector = (deps: OpenConnectorDeps, known: KnownConnector): ActionSource => {
  const { connector: id, record } = known;
  const { name, target } = record;
  if (target.kind === "mcp") {
    return createMcpSource({ id, name, server: mcpServerOf(deps, known, target) });
  }
  const password = async (): Promise<string> =>
    (
      await getCredentials(deps.secrets, keyOf(known), {
        kind: "password",
        address: addressOf(target),
      })
    ).password;
  return createPostgresSource({ id, name, database: target, password, outbound: deps.outbound });
};

const mcpServerOf = (
  { secrets, outbound, accessTokens }: OpenConnectorDeps,
  known: KnownConnector,
  target: Extract<ConnectorTarget, { kind: "mcp" }>,
): McpServer => {
  const { url, auth } = target;
  const address = addressOf(target);
  switch (auth) {
    case "none":
      return { url, outbound, headers: () => Promise.resolve({}) };
    case "headers":
      return {
        url,
        outbound,
        headers: async () =>
          (await getCredentials(secrets, keyOf(known), { kind: "headers", address })).headers,
      };
    case "oauth":
      return {
        url,
        outbound,
        headers: async () => ({
          authorization: `Bearer ${await accessTokens.current(keyOf(known), address)}`,
        }),
        renewHeaders: () => accessTokens.renew(keyOf(known), address),
      };
  }
};

/** @throws DomainError `integration_unauthorized` for a connector without credentials */
const keyOf = ({ organization, record }: KnownConnector): CredentialsKey => {
  if (record.credentials === null) throw noCredentials();
  return { organization, credentials: record.credentials };
};
