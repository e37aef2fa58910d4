import type { OrganizationId } from "#contracts/ids";
import type { ActionRegistry } from "../../actions/sources/registry.ts";
import type { ActionSource } from "../../actions/sources/source.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { proveCredentials } from "../vendor/prove-credentials.ts";
import { createVendorSource, type Vendor } from "../vendor/vendor.ts";
import { vendors } from "../vendors.ts";
import { type ConnectionsDeps, loadConnections } from "./commands.ts";
import { getCredentials } from "./credentials.ts";
import { createRecentProofs } from "./recent-proofs.ts";

/** The vendors that an organisation has connected, beside the sources that others offer. */
export const withConnectedVendors = (
  others: ActionRegistry,
  { store, secrets, outbound }: ConnectionsDeps & { readonly outbound: Outbound },
): ActionRegistry => {
  const proofs = createRecentProofs();
  const sourceOf = (organization: OrganizationId, vendor: Vendor): ActionSource => {
    const key = { organization, vendor: vendor.id };
    return createVendorSource(vendor, {
      outbound,
      credentials: () => getCredentials(secrets, key),
      check: (credentials) =>
        proofs.of(key, credentials, () => proveCredentials(vendor, { outbound, credentials })),
    });
  };
  return {
    sourcesOf: async (organization) => {
      const [sources, connected] = await Promise.all([
        others.sourcesOf(organization),
        loadConnections(store, organization),
      ]);
      // A connector that was configured under a vendor's name was there first.
      const taken = new Set(sources.map(({ id }) => id));
      const own = vendors
        .filter(({ id }) => connected[id] !== undefined && !taken.has(id))
        .map((vendor) => sourceOf(organization, vendor));
      return [...sources, ...own];
    },
  };
};
