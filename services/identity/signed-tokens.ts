/**
 * The signed tokens of the control plane: access tokens of people, and tickets that open a live
 * channel or a sandbox. Each kind has its own key and audience, so neither passes for the other.
 */
import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { roleSchema } from "#contracts/identity/principal";
import { idSchema } from "#contracts/ids";
import { liveAccessSchema } from "#contracts/live/client-frames";
import { proxyAccessSchema, proxyTargetSchema } from "#contracts/proxies/target";

const issuer = "proliferate";

interface TokenKind<Claims extends z.ZodType> {
  readonly audience: string;
  readonly lifetimeSeconds: number;
  readonly claims: Claims;
  /** What people call it. */
  readonly name: string;
}

const accessToken = {
  audience: "proliferate",
  lifetimeSeconds: 12 * 60 * 60,
  claims: z.object({ sub: idSchema("user"), org: idSchema("organization"), role: roleSchema }),
  name: "access token",
} as const satisfies TokenKind<z.ZodType>;
export type AccessClaims = z.infer<typeof accessToken.claims>;

/** One person and one session. */
const sessionClaims = z.object({
  sub: idSchema("user"),
  org: idSchema("organization"),
  ses: idSchema("session"),
});

const liveTicket = {
  audience: "proliferate-live",
  lifetimeSeconds: 60,
  // Those that were signed before there was a choice are good for a minute yet.
  claims: sessionClaims.extend({ acc: liveAccessSchema.default("take_part") }),
  name: "ticket",
} as const satisfies TokenKind<z.ZodType>;

interface SessionTicket {
  readonly sessionId: z.infer<typeof sessionClaims>["ses"];
  readonly organizationId: z.infer<typeof sessionClaims>["org"];
  readonly userId: z.infer<typeof sessionClaims>["sub"];
}

export interface LiveTicket extends SessionTicket {
  readonly access: z.infer<typeof liveAccessSchema>;
}

const proxyTicket = {
  audience: "proliferate-proxy",
  lifetimeSeconds: 15 * 60,
  claims: sessionClaims.extend({ tgt: proxyTargetSchema, acc: proxyAccessSchema }),
  name: "proxy ticket",
} as const satisfies TokenKind<z.ZodType>;

/** Opens one thing in the sandbox of one session, in the name of one person. */
export interface ProxyTicket extends SessionTicket {
  readonly target: z.infer<typeof proxyTargetSchema>;
  readonly access: z.infer<typeof proxyAccessSchema>;
}

export interface Signed {
  readonly token: string;
  /** ISO instant. */
  readonly expiresAt: string;
}

/** Good for 12 hours. */
export const signAccessToken = (
  key: Uint8Array,
  claims: AccessClaims,
  now: Date,
): Promise<Signed> => sign(accessToken, key, claims, now);

/** @throws DomainError `token_expired`, `unauthenticated` */
export const verifyAccessToken = (
  key: Uint8Array,
  token: string,
  now: Date,
): Promise<AccessClaims> => verify(accessToken, key, token, now);

/** Good for a minute: it travels in a URL. */
export const signLiveTicket = (key: Uint8Array, ticket: LiveTicket, now: Date): Promise<Signed> =>
  sign(
    liveTicket,
    key,
    {
      ...{ sub: ticket.userId, org: ticket.organizationId, ses: ticket.sessionId },
      acc: ticket.access,
    },
    now,
  );

/** @throws DomainError `token_expired`, `unauthenticated` */
export const verifyLiveTicket = async (
  key: Uint8Array,
  token: string,
  now: Date,
): Promise<LiveTicket> => {
  const { sub, org, ses, acc } = await verify(liveTicket, key, token, now);
  return { sessionId: ses, organizationId: org, userId: sub, access: acc };
};

/** Good for 15 minutes: it is in every path of what is looked at. */
export const signProxyTicket = (
  key: Uint8Array,
  { userId, organizationId, sessionId, target, access }: ProxyTicket,
  now: Date,
): Promise<Signed> =>
  sign(
    proxyTicket,
    key,
    { sub: userId, org: organizationId, ses: sessionId, tgt: target, acc: access },
    now,
  );

/** @throws DomainError `token_expired`, `unauthenticated` */
export const verifyProxyTicket = async (
  key: Uint8Array,
  token: string,
  now: Date,
): Promise<ProxyTicket> => {
  const { sub, org, ses, tgt, acc } = await verify(proxyTicket, key, token, now);
  return { sessionId: ses, organizationId: org, userId: sub, target: tgt, access: acc };
};

const sign = async <Claims extends z.ZodType>(
  { audience, lifetimeSeconds }: TokenKind<Claims>,
  key: Uint8Array,
  claims: z.infer<Claims> & Record<string, string>,
  now: Date,
): Promise<Signed> => {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const expiresAt = issuedAt + lifetimeSeconds;
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(key);
  return { token, expiresAt: new Date(expiresAt * 1000).toISOString() };
};

const verify = async <Claims extends z.ZodType>(
  { audience, claims, name }: TokenKind<Claims>,
  key: Uint8Array,
  token: string,
  now: Date,
): Promise<z.infer<Claims>> => {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["HS256"],
      issuer,
      audience,
      requiredClaims: ["exp", "iat", "sub"],
      currentDate: now,
    });
    return claims.parse(payload);
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      throw new DomainError("token_expired", `The ${name} has expired.`, { cause: error });
    }
    throw new DomainError("unauthenticated", `The ${name} is not valid.`, { cause: error });
  }
};
