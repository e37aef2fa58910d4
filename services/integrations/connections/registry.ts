import type { ActionRegistry } from "../../actions/registry.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { createVendorSource } from "../vendor/vendor.ts";
import { vendors } from "../vendors.ts";
import { type ConnectionsDeps, loadConnections } from "./commands.ts";
import { getCredentials } from "./credentials.ts";

/** The vendors that an organisation has connected, beside the sources that others offer. */
export const withConnectedVendors = (
  others: ActionRegistry,
  { store, secrets, outbound }: ConnectionsDeps & { readonly outbound: Outbound },
): ActionRegistry => ({
  sourcesOf: async (organization) => {
    const [sources, connected] = await Promise.all([
      others.sourcesOf(organization),
      loadConnections(store, organization),
    ]);
    // A connector that was configured under a vendor's name was there first.
    const taken = new Set(sources.map(({ id }) => id));
    const own = vendors
      .filter(({ id }) => connected[id] !== undefined && !taken.has(id))
      .map((vendor) =>
        createVendorSource(vendor, {
          outbound,
          credentials: () => getCredentials(secrets, { organization, vendor: vendor.id }),
        }),
      );
    return [...sources, ...own];
  },
});
