/** Which of an agent's own tools have to ask before they run, by a policy. Pure. */
import { agentIntegration, agentToolDefinition } from "#contracts/policy/agent-tools";
import { anyName } from "#contracts/policy/rules";
import type { ToolPermissions } from "#sandbox/provider/spec";
import { compiledRules } from "../rules/compiled-rules.ts";
import { type ActionAsked, decideMode } from "./decide-mode.ts";
import { definitionHashOf } from "../definitions/definition-hash.ts";
import type { PolicyState } from "../aggregate/state.ts";

type Asker = Pick<ActionAsked, "sessionId" | "triggerId" | "now">;

/**
 * Null where no tool asks. Asked is for whatever may turn out not to be allowed, for a rule's conditions can
 * only be told when the parameters are there; what then is allowed runs without a person.
 */
export const toolPermissions = (policy: PolicyState, asker: Asker): ToolPermissions | null => {
  const names = [...new Set(["bash", ...namedTools(policy)])].sort();
  const asking = new Set([anyName, ...names].filter((name) => mayNeedLeave(policy, asker, name)));
  if (asking.size === 0) return null;
  const entries = [anyName, ...names].map(
    (name) => [name, asking.has(name) ? "ask" : "allow"] as const,
  );
  return Object.fromEntries(entries);
};

/** The tools that the policy speaks of by name. The keys of its parts are those of `state.ts`. */
const namedTools = ({ rules, modes, automationModes, risks }: PolicyState): readonly string[] => {
  const keyed = [modes, automationModes, risks].flatMap((part) => Object.keys(part));
  const pairs = [
    ...keyed.map((key) => (JSON.parse(key) as (string | null)[]).slice(-2)),
    ...rules.map(({ rule }) => [rule.integration, rule.action]),
  ];
  return pairs.flatMap(([integration, tool]) =>
    integration === agentIntegration && tool != null && tool !== anyName ? [tool] : [],
  );
};

/** @param tool `*` for one that nobody has named */
const mayNeedLeave = (policy: PolicyState, asker: Asker, tool: string): boolean => {
  const definition = agentToolDefinition(tool);
  const asked: ActionAsked = {
    ...asker,
    integration: agentIntegration,
    action: tool,
    params: {},
    risk: definition.risk,
    definitionHash: definitionHashOf(definition),
  };
  const withoutRules = decideMode({ ...policy, rules: [] }, asked);
  if (withoutRules.mode !== "allow") return true;
  // Without parameters a condition is not told: it may hold when they are there.
  return compiledRules(policy.rules)
    .judge(asked, new Set())
    .some(
      ({ stored, verdict }) =>
        stored.rule.mode !== "allow" && (verdict === "applies" || verdict === "condition_not_met"),
    );
};
