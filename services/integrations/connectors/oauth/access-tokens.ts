/** The access tokens of authorized connectors, made anew in time. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type OAuthDiscoveryState,
  refreshAuthorization,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { OAuthError, ServerError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { DomainError, isDomainError } from "#contracts/errors";
import type { Leases } from "#event-store/leases/leases";
import type { Secrets } from "../../../secrets/secrets.ts";
import type { Outbound } from "../../outbound/outbound.ts";
import {
  type CredentialsKey,
  getCredentials,
  type Grant,
  noCredentials,
  type OAuthCredentials,
  putCredentials,
} from "../credentials.ts";
import { grantOf } from "./grant.ts";
import { authorizationFetch } from "./metadata-fetch.ts";

export interface AccessTokens {
  /** A token that is good for a while. @throws DomainError `integration_unauthorized` */
  current(key: CredentialsKey, address: string): Promise<string>;
  /**
   * Makes a new one in the place of one that was refused.
   *
   * @throws DomainError `integration_unauthorized` when the person has to authorize it again,
   * `integration_unreachable` when the authorization server gives no answer now
   */
  renew(key: CredentialsKey, address: string): Promise<void>;
}

export interface AccessTokensOptions {
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly leases: Leases;
  /** Names this process among the holders of leases. */
  readonly instance: string;
  readonly clock: () => Date;
}

/** Tokens are made anew this long before they end. */
const marginMs = 60_000;
const waitForOtherMs = 200;
const attemptsToWait = 75;

export const createAccessTokens = (options: AccessTokensOptions): AccessTokens => {
  const { secrets, clock } = options;
  const load = (key: CredentialsKey, address: string): Promise<OAuthCredentials> =>
    getCredentials(secrets, key, { kind: "oauth", address });

  const renew: AccessTokens["renew"] = async (key, address) => {
    const before = requireGrant(await load(key, address));
    await alone(options, key, async () => {
      const stored = await load(key, address);
      const grant = requireGrant(stored);
      // Whoever was at it before us has done it: most servers take a refresh token only once.
      if (grant.accessToken !== before.accessToken) return;
      const fresh = await refresh(options, grant);
      await putCredentials(secrets, key, { ...stored, grant: fresh });
    });
  };

  return {
    renew,
    current: async (key, address) => {
      const { accessToken, refreshToken, expiresAt } = requireGrant(await load(key, address));
      const good = expiresAt === null || clock().getTime() < expiresAt - marginMs;
      if (good || refreshToken === null) return accessToken;
      await renew(key, address);
      return requireGrant(await load(key, address)).accessToken;
    },
  };
};

const requireGrant = ({ grant }: OAuthCredentials): Grant => {
  if (grant) return grant;
  throw noCredentials();
};

/** In one process at a time. */
const alone = async (
  { leases, instance }: AccessTokensOptions,
  { credentials }: CredentialsKey,
  work: () => Promise<void>,
): Promise<void> => {
  for (let tried = 0; tried < attemptsToWait; tried += 1) {
    const lease = await leases.acquire(credentials, instance);
    if (!lease) {
      await sleep(waitForOtherMs);
      continue;
    }
    try {
      return await work();
    } finally {
      await lease.release();
    }
  }
  throw unreachable();
};

const refresh = async ({ outbound, clock }: AccessTokensOptions, grant: Grant): Promise<Grant> => {
  const { client, authorizationServerUrl, refreshToken } = grant;
  if (refreshToken === null) throw noCredentials();
  const discovery = grant.discovery as unknown as OAuthDiscoveryState;
  const resource = discovery.resourceMetadata?.resource;
  try {
    const tokens = await refreshAuthorization(authorizationServerUrl, {
      ...(discovery.authorizationServerMetadata && {
        metadata: discovery.authorizationServerMetadata,
      }),
      clientInformation: client,
      refreshToken,
      ...(resource !== undefined && { resource: new URL(resource) }),
      fetchFn: authorizationFetch(outbound).fetch,
    });
    return grantOf({ client, discovery, tokens }, clock().getTime()) ?? grant;
  } catch (error) {
    if (isDomainError(error)) throw error;
    // It has said no, rather than nothing.
    if (error instanceof OAuthError && !(error instanceof ServerError)) throw noCredentials();
    throw unreachable(error);
  }
};

const unreachable = (cause?: unknown): DomainError =>
  new DomainError(
    "integration_unreachable",
    "The integration's authorization server gives no answer at the moment. Try again later.",
    { cause },
  );
