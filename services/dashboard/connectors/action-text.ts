/** What the pages say about an action's mode and risk. Pure. */
import type { LeftOutAction } from "#contracts/actions/definition";
import type { ModeSource } from "#contracts/invocation/events";
import type { RiskLevel } from "#contracts/policy/mode";
import type { PolicyView } from "#contracts/policy/view";

export const modeSourceText: Readonly<Record<ModeSource, string>> = {
  rule: "A rule decides.",
  automation: "The automation's own setting decides.",
  organization: "The organisation has decided so for this action.",
  inferred: "Nobody has decided; it follows from the risk.",
};

export const leftOutText: Readonly<Record<LeftOutAction["code"], string>> = {
  tool_malformed: "It is not described as the protocol wants it.",
  tool_name_invalid: "Its name has characters that a policy cannot hold.",
  tool_name_duplicate: "Another one has the same name.",
  tool_schema_too_large: "The description of its parameters is too large.",
};

type RiskOverride = PolicyView["risks"][number];

interface Risks {
  /** What the organisation says of this action alone; null if it says nothing. */
  readonly own: RiskLevel | null;
  /** What it is without that. */
  readonly otherwise: RiskLevel;
  /** The override that counts, with its author; undefined where the integration is believed. */
  readonly override: RiskOverride | undefined;
}

/** Whom to believe about how far an action reaches, where that is not the integration. */
export const riskOverrideText = ({ action }: RiskOverride): string =>
  action === null
    ? "The organisation has said how far all of its integration's actions reach."
    : "The organisation has said how far it reaches.";

/** How far an action reaches: the organisation's word for it, for the integration, or the integration's own. */
export const risksOf = (
  risks: PolicyView["risks"],
  integration: string,
  { id, risk }: { readonly id: string; readonly risk: RiskLevel },
): Risks => {
  const own = overrideOf(risks, integration, id);
  const ofAll = overrideOf(risks, integration, null);
  return { own: own?.risk ?? null, otherwise: ofAll?.risk ?? risk, override: own ?? ofAll };
};

/** What the organisation says of an action, or with null of all of an integration, if it says something. */
export const overrideOf = (
  risks: PolicyView["risks"],
  integration: string,
  action: string | null,
): RiskOverride | undefined =>
  risks.find((one) => one.integration === integration && one.action === action);
