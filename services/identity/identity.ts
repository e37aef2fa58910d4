/** Who is who: signing in, and telling from a token who sends a request. */
import type { Sql } from "postgres";
import { DomainError } from "#contracts/errors";
import type { OrganizationId, UserId } from "#contracts/ids";
import type { Role, UserView } from "#contracts/identity/principal";
import { type Directory, openDirectory, type Person } from "./directory.ts";
import { rememberingTokens } from "./known-tokens.ts";
import { rememberingUsers } from "./known-users.ts";
import { createSignInTokens } from "./sign-in-tokens.ts";
import { signAccessToken, verifyAccessToken } from "./signed-tokens.ts";

interface SignedIn {
  readonly accessToken: string;
  /** ISO instant. */
  readonly expiresAt: string;
  readonly user: UserView;
}

export interface Identity extends Pick<
  Directory,
  "createOrganization" | "ensureFirstOwner" | "findUser" | "findUserByEmail"
> {
  /** Adds a person, with the token for their first sign-in. @throws DomainError `user_exists` */
  addUser(
    organization: OrganizationId,
    user: Person & { readonly role: Role },
  ): Promise<{ readonly user: UserView; readonly signInToken: string }>;
  /** A token that signs the user in once, within 24 hours. */
  issueSignInToken(user: UserId): Promise<string>;
  /** @throws DomainError `unauthenticated`, `token_expired` */
  signIn(signInToken: string): Promise<SignedIn>;
  /**
   * Whose access token this is, with the role that they have now.
   * @throws DomainError `unauthenticated`, `token_expired`
   */
  userOf(accessToken: string): Promise<UserView>;
}

export interface IdentityOptions {
  readonly sql: Sql;
  /** The key of access tokens; see `secrets/keys.ts`. */
  readonly accessTokenKey: Uint8Array;
  readonly now?: () => Date;
}

/** Prepares the tables and answers the functions on them. The connection stays the caller's to close. */
export const openIdentity = async ({
  sql,
  accessTokenKey,
  now = () => new Date(),
}: IdentityOptions): Promise<Identity> => {
  const directory = await openDirectory(sql);
  const signInTokens = createSignInTokens(sql, now);
  const rememberedUser = rememberingUsers(directory.findUser, now);
  const claimsOf = rememberingTokens((token, at) => verifyAccessToken(accessTokenKey, token, at));
  return {
    createOrganization: directory.createOrganization,
    ensureFirstOwner: directory.ensureFirstOwner,
    findUser: directory.findUser,
    findUserByEmail: directory.findUserByEmail,
    issueSignInToken: signInTokens.issue,
    addUser: async (organization, person) => {
      const user = await directory.addUser(organization, person);
      return { user, signInToken: await signInTokens.issue(user.id) };
    },
    signIn: async (signInToken) => {
      const user = await directory.findUser(await signInTokens.redeem(signInToken));
      if (!user) throw gone();
      const claims = { sub: user.id, org: user.organizationId, role: user.role };
      const { token, expiresAt } = await signAccessToken(accessTokenKey, claims, now());
      return { accessToken: token, expiresAt, user };
    },
    userOf: async (accessToken) => {
      const { sub, org } = await claimsOf(accessToken, now());
      const user = await rememberedUser(sub);
      if (user?.organizationId !== org) throw gone();
      return user;
    },
  };
};

const gone = (): DomainError =>
  new DomainError("unauthenticated", "The user of this token does not exist any more.");
