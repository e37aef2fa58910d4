/**
 * The credentials of connectors, encrypted. Each has a name of its own, which the connector's event names:
 * whoever changes a connector at the same time as somebody else, neither gets the other's credentials. With
 * them is the server that they were given for; they go to no other.
 */
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { Id, OrganizationId } from "#contracts/ids";
import type { Secrets } from "../../secrets/secrets.ts";

const clientSchema = z.looseObject({ client_id: z.string() });

/** What a person has let us have at an authorization server, as the MCP SDK wants it back. */
const grantSchema = z.object({
  client: clientSchema,
  authorizationServerUrl: z.string(),
  discovery: z.record(z.string(), z.unknown()),
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  /** Milliseconds since 1970; null if the server does not say. */
  expiresAt: z.number().nullable(),
});
export type Grant = z.infer<typeof grantSchema>;

/** Earlier ones were kept with a whole URL, or with a database and its user: they count for that server. */
const addressSchema = z.string().transform((kept) => {
  if (URL.canParse(kept)) return new URL(kept).origin;
  const parts = JSON.parse(kept) as readonly unknown[];
  return parts.length === 5 ? JSON.stringify([parts[0], parts[1], parts[4]]) : kept;
});

const credentialsSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("headers"),
    address: addressSchema,
    headers: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal("password"), address: addressSchema, password: z.string() }),
  z.object({
    kind: z.literal("oauth"),
    address: addressSchema,
    /** Registered by hand; null for one that registers itself. */
    client: clientSchema.nullable(),
    scope: z.string().nullable(),
    grant: grantSchema.nullable(),
  }),
]);
export type ConnectorCredentials = z.infer<typeof credentialsSchema>;
export type OAuthCredentials = Extract<ConnectorCredentials, { kind: "oauth" }>;

export interface CredentialsKey {
  readonly organization: OrganizationId;
  readonly credentials: Id<"credentials">;
}

const nameOf = ({ organization, credentials }: CredentialsKey) => ({
  organization,
  name: `connector/${credentials}`,
});

export const putCredentials = (
  secrets: Secrets,
  key: CredentialsKey,
  value: ConnectorCredentials,
): Promise<void> => secrets.putSecret({ ...nameOf(key), value: JSON.stringify(value) });

export const forgetCredentials = (secrets: Secrets, key: CredentialsKey): Promise<void> =>
  secrets.deleteSecret(nameOf(key));

/** @throws DomainError `integration_unauthorized` when there are none of this kind for this address */
export const getCredentials = async <Kind extends ConnectorCredentials["kind"]>(
  secrets: Secrets,
  key: CredentialsKey,
  { kind, address }: { readonly kind: Kind; readonly address: string },
): Promise<Extract<ConnectorCredentials, { kind: Kind }>> => {
  const value = await secrets.getSecret(nameOf(key));
  const found = value === null ? null : credentialsSchema.parse(JSON.parse(value));
  if (found?.kind !== kind || found.address !== address) throw noCredentials();
  return found as Extract<ConnectorCredentials, { kind: Kind }>;
};

export const noCredentials = (): DomainError =>
  new DomainError(
    "integration_unauthorized",
    "The connector's credentials are gone or were refused. An administrator has to give new ones, or authorize it again.",
  );
