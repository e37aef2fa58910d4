import { DomainError } from "#contracts/errors";
import type { OrganizationId } from "#contracts/ids";
import { aggregatesIn } from "#event-store/audit/aggregates-in";
import type { EventStore } from "#event-store/event-store";

/** An organisation that the log knows; so a slip of the pen is none. @throws DomainError `not_found` */
export const requireKnownOrganization = async (
  store: EventStore,
  organization: string,
): Promise<OrganizationId> => {
  if ((await aggregatesIn(store, { organization })).length > 0) {
    return organization as OrganizationId;
  }
  throw new DomainError("not_found", `The log has no commit of "${organization}".`);
};
