import type { ModeSource } from "#contracts/invocation/events";
import type { KnownInvocation } from "./known-invocation.ts";

const reasons: Readonly<Record<ModeSource, string>> = {
  rule: "A rule of the policy",
  automation: "The automation's own setting for this action",
  organization: "The organisation's setting for this action",
  inferred: "What the action can do, as nobody has decided about it,",
};

/** Why a person is asked, as a sentence. Pure. */
export const whyAsked = ({
  source,
  ruleId,
  drifted,
}: NonNullable<KnownInvocation["decision"]>): string => {
  const who = `${reasons[source]}${ruleId === null ? "" : ` (${ruleId})`}`;
  return drifted
    ? `${who} would let it run, but it has changed since somebody allowed it.`
    : `${who} asks for a person.`;
};
