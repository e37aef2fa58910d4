/**
 * The signed tokens of the control plane: access tokens of people, and tickets that open a live
 * channel or a sandbox. Each kind has its own key and audience, so neither passes for the other.
 */
import { z } from "zod";
import { roleSchema } from "#contracts/identity/principal";
import { idSchema } from "#contracts/ids";
import { liveAccessSchema } from "#contracts/live/client-frames";
import { proxyAccessSchema, proxyTargetSchema } from "#contracts/proxies/target";
import { secondsOf, signClaims, type TokenKind, verifyClaims } from "./signed-claims.ts";

interface LastingKind<Claims extends z.ZodType> extends TokenKind<Claims> {
  readonly lifetimeSeconds: number;
}

const accessToken = {
  audience: "proliferate",
  lifetimeSeconds: 12 * 60 * 60,
  claims: z.object({ sub: idSchema("user"), org: idSchema("organization"), role: roleSchema }),
  name: "access token",
} as const satisfies LastingKind<z.ZodType>;
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
} as const satisfies LastingKind<z.ZodType>;

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
} as const satisfies LastingKind<z.ZodType>;

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
): Promise<AccessClaims> => verifyClaims(accessToken, key, token, now);

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
  const { sub, org, ses, acc } = await verifyClaims(liveTicket, key, token, now);
  return { sessionId: ses, organizationId: org, userId: sub, access: acc };
};

/**
 * Good for 15 minutes: it is in every path of what is looked at. An editor goes on loading what it needs for
 * as long as somebody works with it, so its ticket is good for 12 hours.
 */
export const signProxyTicket = (
  key: Uint8Array,
  { userId, organizationId, sessionId, target, access }: ProxyTicket,
  now: Date,
): Promise<Signed> =>
  sign(
    target === "vscode"
      ? { ...proxyTicket, lifetimeSeconds: accessToken.lifetimeSeconds }
      : proxyTicket,
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
  const { sub, org, ses, tgt, acc } = await verifyClaims(proxyTicket, key, token, now);
  return { sessionId: ses, organizationId: org, userId: sub, target: tgt, access: acc };
};

const sign = async <Claims extends z.ZodType>(
  kind: LastingKind<Claims>,
  key: Uint8Array,
  claims: z.infer<Claims> & Record<string, string>,
  now: Date,
): Promise<Signed> => {
  const expiresAt = new Date((secondsOf(now) + kind.lifetimeSeconds) * 1000);
  const token = await signClaims(kind, key, claims, { now, expiresAt });
  return { token, expiresAt: expiresAt.toISOString() };
};
