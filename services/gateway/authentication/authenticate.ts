/**
 * Tells who sends a request: a person by access token or cookie, a sandbox by its derived token, another
 * program by a service token.
 */
import { DomainError } from "#contracts/errors";
import type { UserView } from "#contracts/identity/principal";
import { verifySandboxToken } from "#sandbox/token";
import {
  type ServiceToken,
  serviceTokenPrefix,
} from "../../identity/service-tokens/service-tokens.ts";
import type { Principal } from "./principal.ts";
import { tokenOfCookies } from "../browsers/session-cookie.ts";

interface Authenticated {
  readonly principal: Principal;
  /** A cookie is sent by the browser on its own, so it needs a proof that our own page asked for it. */
  readonly by: "bearer" | "cookie";
}

interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  readonly cookies: Readonly<Record<string, string | undefined>>;
}

/** @throws DomainError `unauthenticated`, `token_expired`, `sandbox_token_invalid` */
export type Authenticate = (credentials: Credentials) => Promise<Authenticated>;

export interface AuthenticateOptions {
  /** Whose access token it is; see `identity/identity.ts`. */
  readonly userOf: (accessToken: string) => Promise<UserView>;
  /** Whose service token it is; see `identity/service-tokens/service-tokens.ts`. */
  readonly serviceOf: (
    token: string,
  ) => Promise<Pick<ServiceToken, "userId" | "organizationId" | "scopes">>;
  /** The secret that sandbox tokens are derived from. */
  readonly sandboxTokenSecret: string;
  readonly now?: () => Date;
}

export const createAuthenticate = ({
  userOf,
  serviceOf,
  sandboxTokenSecret,
  now = () => new Date(),
}: AuthenticateOptions): Authenticate => {
  const principalOf = async (token: string): Promise<Principal> => {
    if (token.startsWith("sbx1.")) {
      return { kind: "sandbox", ...verifySandboxToken(token, sandboxTokenSecret, now()) };
    }
    if (token.startsWith(serviceTokenPrefix)) {
      const { userId, organizationId, scopes } = await serviceOf(token);
      return { kind: "user", userId, organizationId, role: "member", scopes };
    }
    const { id, organizationId, role } = await userOf(token);
    return { kind: "user", userId: id, organizationId, role };
  };
  return async ({ authorization, cookies }) => {
    const bearer = bearerToken(authorization);
    if (bearer !== undefined) return { principal: await principalOf(bearer), by: "bearer" };
    const cookie = tokenOfCookies(cookies);
    if (cookie !== undefined) return { principal: await principalOf(cookie), by: "cookie" };
    throw new DomainError("unauthenticated", "Sign in first, or send an access token.");
  };
};

const bearerToken = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined;
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header)?.[1];
  if (token === undefined) {
    throw new DomainError("unauthenticated", "The Authorization header must be a bearer token.");
  }
  return token;
};
