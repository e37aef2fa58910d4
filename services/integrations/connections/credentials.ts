/**
 * The credentials of vendors, encrypted. A token and the address that it is for are one secret, so that a
 * token never goes to another address than the one that it was given for.
 */
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { OrganizationId } from "#contracts/ids";
import type { VendorId } from "#contracts/integration/events";
import type { Secrets } from "../../secrets/secrets.ts";
import type { VendorCredentials } from "../vendor/vendor.ts";

const storedSchema = z.object({ token: z.string(), baseUrl: z.string().nullable() });

const nameOf = (vendor: VendorId): string => `integration/${vendor}/credentials`;

export interface VendorKey {
  readonly organization: OrganizationId;
  readonly vendor: VendorId;
}

export const putCredentials = (
  secrets: Secrets,
  { organization, vendor }: VendorKey,
  credentials: VendorCredentials,
): Promise<void> =>
  secrets.putSecret({ organization, name: nameOf(vendor), value: JSON.stringify(credentials) });

/** @throws DomainError `integration_unauthorized` when there are none (any more) */
export const getCredentials = async (
  secrets: Secrets,
  { organization, vendor }: VendorKey,
): Promise<VendorCredentials> => {
  const value = await secrets.getSecret({ organization, name: nameOf(vendor) });
  if (value === null) {
    throw new DomainError(
      "integration_unauthorized",
      "The integration is not connected any more. Ask an administrator to connect it.",
      { fields: { vendor } },
    );
  }
  return storedSchema.parse(JSON.parse(value));
};

export const forgetCredentials = (
  secrets: Secrets,
  { organization, vendor }: VendorKey,
): Promise<void> => secrets.deleteSecret({ organization, name: nameOf(vendor) });
