/** How a connector gets into an MCP server that asks people to authorize it. */
import { randomBytes } from "node:crypto";
import { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/sdk/client/auth.js";
import type { ReturnedAuthorization } from "#contracts/http/connectors";
import { DomainError, isDomainError } from "#contracts/errors";
import type { OrganizationId, UserId } from "#contracts/ids";
import type { CommandMeta } from "#event-store/command-meta";
import type { Outbound } from "../../outbound/outbound.ts";
import { plainLine } from "../../plain-text.ts";
import {
  commandConnector,
  type ConnectorKey,
  type ConnectorsDeps,
  requireConnector,
} from "../commands.ts";
import {
  getCredentials,
  noCredentials,
  type OAuthCredentials,
  putCredentials,
} from "../credentials.ts";
import { authorizationInvalid, type ConnectorRecord } from "../decider.ts";
import { addressOf } from "../settings.ts";
import { grantOf } from "./grant.ts";
import { type AuthorizationFetch, authorizationFetch } from "./metadata-fetch.ts";
import { type FlowState, flowProvider } from "./oauth-flow.ts";
import { putPending, takePending } from "./pending-authorization.ts";

export interface AuthorizationDeps extends ConnectorsDeps {
  readonly outbound: Outbound;
  /** Where authorization servers send people back to. */
  readonly redirectUrl: () => string;
  readonly clock: () => Date;
}

const lifetimeMs = 10 * 60_000;

/**
 * Finds the authorization server, registers with it if need be, and answers where the person has to go.
 *
 * @throws DomainError `connector_not_found`, `connector_not_oauth`, `connector_authorization_failed`, and
 * those of {@link Outbound.fetch}
 */
export const beginAuthorization = async (
  deps: AuthorizationDeps,
  key: ConnectorKey,
  userId: UserId,
): Promise<string> => {
  const { url, credentials, stored } = await requireOAuth(deps, key);
  const redirectUrl = deps.redirectUrl();
  const state = `${key.connector}.${randomBytes(32).toString("base64url")}`;
  const flow: FlowState = {
    client: stored.client ?? undefined,
    discovery: undefined,
    verifier: "",
    authorizationUrl: undefined,
    tokens: undefined,
  };
  await explained(deps.outbound, async (fetchFn) => {
    const { resourceMetadataUrl, scope } = await refusalOf(deps.outbound, url);
    await auth(flowProvider(flow, { redirectUrl, scope: stored.scope, state }), {
      serverUrl: url,
      fetchFn,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...((stored.scope ?? scope) !== undefined && { scope: stored.scope ?? scope ?? "" }),
    });
  });
  const { client, discovery, verifier, authorizationUrl } = flow;
  if (!client || !discovery || !authorizationUrl) throw authorizationFailed("It was not begun.");
  if (!/^https?:$/.test(authorizationUrl.protocol)) throw authorizationFailed("It has no address.");
  const expiresAt = deps.clock().getTime() + lifetimeMs;
  await putPending(deps.secrets, key, {
    state,
    userId,
    credentials,
    verifier,
    client: { ...client },
    discovery: { ...discovery },
    expiresAt,
  });
  return authorizationUrl.href;
};

/**
 * What the person came back with becomes the connector's grant. Only whoever has begun it can finish it:
 * somebody else's consent would give their account away.
 *
 * @throws DomainError `connector_authorization_invalid`, `connector_authorization_failed`
 */
export const endAuthorization = async (
  deps: AuthorizationDeps,
  by: { readonly organization: OrganizationId; readonly userId: UserId },
  { state, code, iss, error }: ReturnedAuthorization,
  meta: CommandMeta,
): Promise<string> => {
  const connector = state.split(".", 1)[0] ?? "";
  const key = { organization: by.organization, connector };
  const now = deps.clock().getTime();
  const pending = await takePending(deps.secrets, key, { state, userId: by.userId, now });
  if (!pending) throw authorizationInvalid();
  const { url, credentials, stored } = await requireOAuth(deps, key);
  if (credentials !== pending.credentials) throw authorizationInvalid();
  if (code === undefined) throw authorizationFailed(`It says: ${plainLine(error ?? "", 200)}`);
  const flow: FlowState = {
    client: pending.client,
    discovery: pending.discovery as unknown as FlowState["discovery"],
    verifier: pending.verifier,
    authorizationUrl: undefined,
    tokens: undefined,
  };
  // RFC 9207: another server's answer would send this one's code to it.
  const issuer = flow.discovery?.authorizationServerMetadata?.issuer;
  if (iss !== undefined && issuer !== undefined && iss !== issuer) throw authorizationInvalid();
  const redirectUrl = deps.redirectUrl();
  await explained(deps.outbound, (fetchFn) =>
    auth(flowProvider(flow, { redirectUrl, scope: stored.scope, state }), {
      serverUrl: url,
      authorizationCode: code,
      fetchFn,
    }),
  );
  const grant = grantOf(flow, now);
  if (!grant) throw authorizationFailed("It gave no token.");
  const secretKey = { organization: by.organization, credentials };
  await putCredentials(deps.secrets, secretKey, { ...stored, grant });
  const command = { type: "AuthorizeConnector", connector, credentials } as const;
  await commandConnector(deps.store, by.organization, command, meta);
  return connector;
};

interface OAuthConnector {
  readonly url: string;
  readonly credentials: NonNullable<ConnectorRecord["credentials"]>;
  readonly stored: OAuthCredentials;
}

const requireOAuth = async (
  { store, secrets }: AuthorizationDeps,
  key: ConnectorKey,
): Promise<OAuthConnector> => {
  const { target, credentials } = await requireConnector(store, key);
  if (target.kind !== "mcp" || target.auth !== "oauth") {
    throw new DomainError("connector_not_oauth", "This connector is not authorized by people.");
  }
  if (credentials === null) throw noCredentials();
  const secretKey = { organization: key.organization, credentials };
  const stored = await getCredentials(secrets, secretKey, {
    kind: "oauth",
    address: addressOf(target),
  });
  return { url: target.url, credentials, stored };
};

/** How the server refuses who comes without a token says where to get one (RFC 9728, section 5.1). */
const refusalOf = async (outbound: Outbound, url: string) => {
  const response = await outbound.fetch(
    url,
    {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    },
    { timeoutMs: 10_000 },
  );
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
};

const explained = async (
  outbound: Outbound,
  work: (fetchFn: AuthorizationFetch["fetch"]) => Promise<unknown>,
): Promise<void> => {
  const { fetch, refusal } = authorizationFetch(outbound);
  try {
    await work(fetch);
  } catch (error) {
    if (isDomainError(error)) throw error;
    const said = error instanceof Error ? plainLine(error.message, 300) : "";
    throw refusal() ?? authorizationFailed(said, error);
  }
};

const authorizationFailed = (detail: string, cause?: unknown): DomainError =>
  new DomainError(
    "connector_authorization_failed",
    `The server's authorization did not succeed. ${detail}`.trim(),
    { cause },
  );
