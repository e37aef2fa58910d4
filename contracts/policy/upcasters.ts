/** How older shapes of a policy's events read today. */
import type { Upcaster } from "../read-event.ts";

/** Only the commit told who it was, and its data alone are folded. */
const withoutAuthor: Upcaster = (data) => ({ ...data, by: null, at: null });

export const policyUpcasters: Readonly<Record<string, Upcaster>> = {
  "ActionModeSet:1": withoutAuthor,
  "AutomationModeSet:1": withoutAuthor,
  "RiskOverridden:1": withoutAuthor,
};
