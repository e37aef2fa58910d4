/** How older shapes of an invocation's events read today. */
import type { Upcaster } from "../read-event.ts";

/** There were no rules, and nobody looked for drift. */
const actionInvoked1: Upcaster = (data) => ({ ...data, ruleId: null, drifted: false });

/** Nobody could edit what they approved. */
const actionApproved1: Upcaster = (data) => ({ ...data, editedParams: null });

/** Nothing was kept but what the log holds. */
const actionCompleted1: Upcaster = (data) => ({ ...data, fullResult: null });

export const invocationUpcasters: Readonly<Record<string, Upcaster>> = {
  "ActionInvoked:1": actionInvoked1,
  "ActionApproved:1": actionApproved1,
  "ActionCompleted:1": actionCompleted1,
};
