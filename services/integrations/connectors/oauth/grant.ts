import type { Grant } from "../credentials.ts";
import type { FlowState } from "./oauth-flow.ts";

/** What a finished flow has brought; null if it has brought nothing. */
export const grantOf = (
  { client, discovery, tokens }: Pick<FlowState, "client" | "discovery" | "tokens">,
  now: number,
): Grant | null =>
  client && discovery && tokens
    ? {
        client: { ...client },
        authorizationServerUrl: discovery.authorizationServerUrl,
        discovery: { ...discovery },
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token ?? null,
        expiresAt: tokens.expires_in === undefined ? null : now + tokens.expires_in * 1000,
      }
    : null;
