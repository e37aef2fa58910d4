import { DomainError } from "#contracts/errors";
import { approverRoles, type UserView } from "#contracts/identity/principal";
import type { OrganizationId } from "#contracts/ids";

/**
 * Whoever decides from elsewhere has to be allowed to now, not when they were asked.
 * @throws DomainError `forbidden`
 */
export const requireApprover = (user: UserView | null, organization: OrganizationId): UserView => {
  if (user?.organizationId === organization && approverRoles.includes(user.role)) return user;
  throw new DomainError("forbidden", "This needs an owner or an admin of the organisation.");
};
