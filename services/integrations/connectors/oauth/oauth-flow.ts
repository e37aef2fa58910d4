/**
 * One person's way through an authorization, as the MCP SDK asks for it: what it saves is kept here, and
 * comes back when the person does.
 */
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
} from "@modelcontextprotocol/sdk/client/auth.js";
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";

/** What the flow has come to. The caller stores it between its two halves. */
export interface FlowState {
  client: OAuthClientInformationMixed | undefined;
  discovery: OAuthDiscoveryState | undefined;
  verifier: string;
  authorizationUrl: URL | undefined;
  tokens: OAuthTokens | undefined;
}

export interface FlowOptions {
  readonly redirectUrl: string;
  readonly scope: string | null;
  /** Comes back with the person. */
  readonly state: string;
}

/**
 * A provider for the SDK's `auth`: it discovers the authorization server, registers a client where none is
 * known (RFC 7591) and proves with PKCE that both halves are one.
 */
export const flowProvider = (
  flow: FlowState,
  { redirectUrl, scope, state }: FlowOptions,
): OAuthClientProvider => ({
  redirectUrl,
  clientMetadata: clientMetadataOf(redirectUrl, scope),
  state: () => state,
  clientInformation: () => flow.client,
  saveClientInformation: (client) => {
    flow.client = client;
  },
  discoveryState: () => flow.discovery,
  saveDiscoveryState: (discovery) => {
    flow.discovery = discovery;
  },
  // None: with a former refresh token the person would not be asked.
  tokens: () => undefined,
  saveTokens: (tokens) => {
    flow.tokens = tokens;
  },
  redirectToAuthorization: (url) => {
    flow.authorizationUrl = url;
  },
  saveCodeVerifier: (verifier) => {
    flow.verifier = verifier;
  },
  codeVerifier: () => flow.verifier,
});

const clientMetadataOf = (redirectUrl: string, scope: string | null): OAuthClientMetadata => ({
  client_name: "Proliferate",
  redirect_uris: [redirectUrl],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "client_secret_basic",
  ...(scope !== null && { scope }),
});
