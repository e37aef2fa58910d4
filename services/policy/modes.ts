/** Which mode an action has: the organisation's own decision, else what its risk suggests. */
import type { ModeSource, RiskLevel } from "#contracts/invocation/events";
import type { ActionMode } from "#contracts/policy/events";
import { type PolicyState, setModeOf } from "./decider.ts";

export interface ResolvedMode {
  readonly mode: ActionMode;
  readonly source: ModeSource;
}

const inferredModes: Readonly<Record<RiskLevel, ActionMode>> = {
  read: "allow",
  write: "require_approval",
  danger: "deny",
};

export interface ActionToResolve {
  readonly integration: string;
  readonly action: string;
  /** Only a hint: it decides when nobody else has. */
  readonly risk: RiskLevel;
}

/** The mode of an action under an organisation's policy, and who decided it. */
export const resolveMode = (
  policy: PolicyState,
  { integration, action, risk }: ActionToResolve,
): ResolvedMode => {
  const set = setModeOf(policy, integration, action);
  return set
    ? { mode: set, source: "organization" }
    : { mode: inferredModes[risk], source: "inferred" };
};
