/**
 * The token with which a sandbox speaks to the gateway: `sbx1.<payload>.<mac>`, both base64url.
 *
 * It is derived from the control plane's secret whenever it is needed and never stored, so there is
 * nothing to leak from a database. The version is part of what is signed.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { idSchema, type OrganizationId, type SessionId } from "#contracts/ids";

const version = "sbx1";
const minimumSecretLength = 32;

const payloadSchema = z.strictObject({
  sid: idSchema("session"),
  org: idSchema("organization"),
  /** Seconds since 1970; the token is void from then on. */
  exp: z.int().nonnegative().optional(),
});

export interface SandboxIdentity {
  readonly sessionId: SessionId;
  readonly organizationId: OrganizationId;
}

export interface DeriveSandboxTokenInput extends SandboxIdentity {
  /** The control plane's signing secret, at least 32 characters. */
  readonly secret: string;
  /** Rounded down to the second. Without it the token is good for as long as the secret is. */
  readonly expiresAt?: Date;
}

/** The token of one session. The same input gives the same token. */
export const deriveSandboxToken = (input: DeriveSandboxTokenInput): string => {
  if (input.secret.length < minimumSecretLength) {
    throw new DomainError(
      "configuration_invalid",
      `The secret for sandbox tokens needs at least ${minimumSecretLength} characters.`,
    );
  }
  const payload: z.infer<typeof payloadSchema> = {
    sid: input.sessionId,
    org: input.organizationId,
    ...(input.expiresAt && { exp: Math.floor(input.expiresAt.getTime() / 1000) }),
  };
  const signed = `${version}.${Buffer.from(JSON.stringify(payload)).toString("base64url")}`;
  return `${signed}.${mac(input.secret, signed).toString("base64url")}`;
};

/**
 * Whose token this is.
 * @throws DomainError `sandbox_token_invalid` when it is malformed or not ours, `token_expired` when it was good once.
 */
export const verifySandboxToken = (token: string, secret: string, now: Date): SandboxIdentity => {
  const [tag, payload, signature, ...rest] = token.split(".");
  if (tag !== version || payload === undefined || signature === undefined || rest.length > 0)
    throw invalid();
  const expected = mac(secret, `${tag}.${payload}`);
  const given = Buffer.from(signature, "base64url");
  // The second comparison refuses other spellings of the same bytes (padding, spare bits).
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalid();
  if (given.toString("base64url") !== signature) throw invalid();
  const { sid, org, exp } = parsePayload(payload);
  if (exp !== undefined && now.getTime() >= exp * 1000) {
    throw new DomainError("token_expired", "The sandbox token has expired.");
  }
  return { sessionId: sid, organizationId: org };
};

const mac = (secret: string, signed: string): Buffer =>
  createHmac("sha256", secret).update(signed).digest();

const parsePayload = (payload: string): z.infer<typeof payloadSchema> => {
  try {
    return payloadSchema.parse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
  } catch (error) {
    throw invalid(error);
  }
};

const invalid = (cause?: unknown): DomainError =>
  new DomainError("sandbox_token_invalid", "The sandbox token is not valid.", { cause });
