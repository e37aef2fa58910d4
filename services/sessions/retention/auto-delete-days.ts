import { type OrganizationState, ownAutoDeleteDays } from "../../organization/decider.ts";
import type { ExistingSession, SessionState } from "../aggregate/state.ts";

/** After how many days without use what is named is deleted; null: never. */
export interface AutoDeleteRules {
  readonly organization: OrganizationState;
  readonly deploymentDays: number | null;
}

/** The nearest rule counts: the session's own, else its organisation's, else the deployment's. */
export const autoDeleteDaysOf = (
  { autoDeleteDays: own }: Pick<ExistingSession, "autoDeleteDays">,
  { organization, deploymentDays }: AutoDeleteRules,
): number | null => {
  if (own !== undefined) return own;
  const ofOrganization = ownAutoDeleteDays(organization);
  return ofOrganization === undefined ? deploymentDays : ofOrganization;
};

/** Whether the session is there and nobody waits for it to answer. */
export const rests = (state: SessionState): state is ExistingSession =>
  state.status !== "none" && state.status !== "stopped" && state.prompts.length === 0;
