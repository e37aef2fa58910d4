/**
 * Every key of the control plane comes from one: SECRETS_KEY. Each purpose gets a key of its own
 * (HKDF-SHA256), so what signs one kind of token can neither sign another nor open a secret.
 */
import { hkdfSync } from "node:crypto";
import { DomainError } from "#contracts/errors";

export interface Keys {
  readonly accessTokens: Uint8Array;
  readonly serviceTokens: Uint8Array;
  readonly liveTickets: Uint8Array;
  readonly proxyTickets: Uint8Array;
  readonly approvalLinks: Uint8Array;
  /** In hex, as the functions for sandbox tokens take it. */
  readonly sandboxTokens: string;
  readonly secretWrapping: Uint8Array;
  readonly dataKeyWrapping: Uint8Array;
}

const keyBytes = 32;

/**
 * Derives the keys. The same SECRETS_KEY gives the same keys for ever: a changed label here would make
 * every stored secret unreadable.
 *
 * @param secretsKey 32 bytes, in hex or base64
 * @throws DomainError `configuration_invalid`
 */
export const deriveKeys = (secretsKey: string): Keys => {
  const root = rootKey(secretsKey.trim());
  const derive = (purpose: string): Uint8Array =>
    new Uint8Array(
      hkdfSync("sha256", root, new Uint8Array(0), `proliferate/${purpose}/v1`, keyBytes),
    );
  return {
    accessTokens: derive("access-tokens"),
    serviceTokens: derive("service-tokens"),
    liveTickets: derive("live-tickets"),
    proxyTickets: derive("proxy-tickets"),
    approvalLinks: derive("approval-links"),
    sandboxTokens: Buffer.from(derive("sandbox-tokens")).toString("hex"),
    secretWrapping: derive("secret-wrapping"),
    dataKeyWrapping: derive("data-key-wrapping"),
  };
};

const rootKey = (text: string): Buffer => {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text)
    ? Buffer.from(text, "hex")
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
      ? Buffer.from(text, "base64")
      : null;
  if (bytes?.length !== keyBytes) {
    throw new DomainError(
      "configuration_invalid",
      "SECRETS_KEY must be 32 bytes, written as 64 hex digits or in base64.",
    );
  }
  return bytes;
};
