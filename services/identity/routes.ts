import { DomainError } from "#contracts/errors";
import { addUser, getMe, signIn, signOut } from "#contracts/http/identity";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import { clearedSessionCookie, sessionCookie } from "../gateway/browsers/session-cookie.ts";
import type { Identity } from "./identity.ts";

export interface IdentityRoutesDeps {
  readonly identity: Identity;
  /** Whether browsers reach the gateway over HTTPS only. */
  readonly secureCookies: boolean;
}

export const identityRoutes = ({ identity, secureCookies }: IdentityRoutesDeps): RouteHandler[] => [
  handleRoute(signIn, async ({ body }) => {
    const signedIn = await identity.signIn(body.token);
    return {
      status: 200,
      body: signedIn,
      cookies: [
        sessionCookie(signedIn.accessToken, {
          expires: new Date(signedIn.expiresAt),
          secure: secureCookies,
        }),
      ],
    };
  }),
  handleRoute(signOut, () =>
    Promise.resolve({
      status: 200,
      body: { ok: true },
      cookies: [clearedSessionCookie({ secure: secureCookies })],
    }),
  ),
  handleRoute(getMe, async ({ principal }) => {
    const user = await identity.findUser(principal.userId);
    if (!user) throw new DomainError("unauthenticated", "The user does not exist any more.");
    return { status: 200, body: user };
  }),
  handleRoute(addUser, async ({ principal, body }) => ({
    status: 201,
    body: await identity.addUser(principal.organizationId, body),
  })),
];
