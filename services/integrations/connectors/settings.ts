/** What becomes of the settings that a person gives: what is logged, and what is kept secret. Pure. */
import type { ConnectorTarget } from "#contracts/connector/events";
import type { ConnectorSettings } from "#contracts/http/connectors";
import type { ConnectorCredentials } from "./credentials.ts";

export interface SplitSettings {
  readonly target: ConnectorTarget;
  /** Null where none are needed. */
  readonly credentials: ConnectorCredentials | null;
}

export const splitSettings = (settings: ConnectorSettings): SplitSettings => {
  if (settings.kind === "postgres") {
    const { password, ...target } = settings;
    return { target, credentials: { kind: "password", address: addressOf(target), password } };
  }
  const { kind, url, auth } = settings;
  const address = addressOf({ kind, url, auth: "none" });
  switch (auth.kind) {
    case "none":
      return { target: { kind, url, auth: "none" }, credentials: null };
    case "bearer": {
      const headers = { authorization: `Bearer ${auth.token}` };
      return {
        target: { kind, url, auth: "headers" },
        credentials: { kind: "headers", address, headers },
      };
    }
    case "headers":
      return {
        target: { kind, url, auth: "headers" },
        credentials: { kind: "headers", address, headers: auth.headers },
      };
    case "oauth": {
      const { clientId, clientSecret, scope = null } = auth;
      const client =
        clientId === undefined
          ? null
          : {
              client_id: clientId,
              ...(clientSecret !== undefined && { client_secret: clientSecret }),
            };
      return {
        target: { kind, url, auth: "oauth" },
        credentials: { kind: "oauth", address, client, scope, grant: null },
      };
    }
  }
};

/**
 * What credentials are bound to: the server that they were given for, and how it has to prove itself. Other
 * paths, databases and users of the same server may be tried with them; another server never gets them.
 */
export const addressOf = (target: ConnectorTarget): string =>
  target.kind === "mcp"
    ? new URL(target.url).origin
    : JSON.stringify([target.host, target.port, target.tls]);
