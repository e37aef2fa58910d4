/** Tokens as the SDK expects them: it reads their expiry. They are not signed, for nobody checks it here. */
import { randomBytes } from "node:crypto";
import { ServerError, Status, type Metadata } from "nice-grpc";

const lifetimeSeconds = 3_600;

export const newToken = (): string => {
  const exp = Math.floor(Date.now() / 1_000) + lifetimeSeconds;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return [part({ alg: "none" }), part({ exp }), randomBytes(8).toString("base64url")].join(".");
};

export interface Credentials {
  readonly tokenId: string;
  readonly tokenSecret: string;
}

/** @throws ServerError UNAUTHENTICATED */
export const requireCredentials = (metadata: Metadata, expected: Credentials): void => {
  const given = [metadata.get("x-modal-token-id"), metadata.get("x-modal-token-secret")];
  if (given[0] === expected.tokenId && given[1] === expected.tokenSecret) return;
  throw new ServerError(
    Status.UNAUTHENTICATED,
    `Token ID is malformed or unknown: ${String(given[0])} with secret ${String(given[1])}`,
  );
};

/** @throws ServerError UNAUTHENTICATED */
export const requireBearer = (metadata: Metadata, expected: string | undefined): void => {
  if (expected !== undefined && metadata.get("authorization") === `Bearer ${expected}`) return;
  throw new ServerError(Status.UNAUTHENTICATED, "The task's token is unknown.");
};
