/**
 * The rules as `docs/policy.md` words them, decided one by one and without anything prepared: what the
 * compiled ones are compared with. Shares no code with them.
 */
import type { RuleId } from "#contracts/ids";
import type { Condition, PolicyRule } from "#contracts/policy/rules";
import type { RuleQuestion } from "../compiled-rules.ts";
import type { StoredRule } from "../../aggregate/state.ts";

/** The rule that decides; null where none applies. */
export const decidingRule = (
  rules: readonly StoredRule[],
  asked: RuleQuestion,
  spent: ReadonlySet<RuleId>,
): StoredRule | null => {
  const applying = rules.filter(({ id, rule }) => !spent.has(id) && applies(rule, asked));
  const left = preferences.reduce<readonly StoredRule[]>((found, prefers) => {
    const better = found.filter(({ rule }) => prefers(rule));
    return better.length > 0 ? better : found;
  }, applying);
  return left[0] ?? null;
};

/** The first one counts most. */
const preferences: readonly ((rule: PolicyRule) => boolean)[] = [
  ({ mode }) => mode === "deny",
  ({ scope }) => scope.kind === "session",
  ({ scope }) => scope.kind === "automation",
  (rule) => rule.integration !== "*" && rule.action !== "*",
  (rule) => rule.integration !== "*" || rule.action !== "*",
  ({ mode }) => mode === "require_approval",
];

const applies = (rule: PolicyRule, asked: RuleQuestion): boolean =>
  (rule.integration === asked.integration ||
    (rule.integration === "*" && asked.integration !== "agent")) &&
  ["*", asked.action].includes(rule.action) &&
  (rule.scope.kind !== "session" || rule.scope.sessionId === asked.sessionId) &&
  (rule.scope.kind !== "automation" || rule.scope.triggerId === asked.triggerId) &&
  (rule.expiresAt === null || Date.parse(rule.expiresAt) > Date.parse(asked.now)) &&
  rule.conditions.every((condition) => holds(condition, asked.params) ?? rule.mode !== "allow");

/** Null where it cannot be told. */
const holds = (condition: Condition, params: unknown): boolean | null => {
  let value = params;
  for (const name of condition.path.split(".")) {
    if (Array.isArray(value)) return null;
    const fields = new Map(Object.entries(Object(value) as object));
    value = typeof value === "object" ? fields.get(name) : undefined;
  }
  if (value === undefined || value === null) return false;
  if (typeof value === "object") return null;
  if (condition.op === "between") {
    if (typeof value !== "number") return null;
    const { min, max } = condition;
    return (min === null || value >= min) && (max === null || value <= max);
  }
  if (condition.op === "matches") {
    return typeof value === "string" ? expressionOf(condition.glob).test(value) : null;
  }
  const expected = condition.op === "in" ? condition.values : [condition.value];
  if (expected.some((each) => each === value)) return true;
  return expected.length === 0 || expected.some((each) => typeof each === typeof value)
    ? false
    : null;
};

const expressionOf = (glob: string): RegExp => {
  const letters = [...glob].map((letter) =>
    letter === "*"
      ? "[^]*"
      : letter === "?"
        ? "[^]"
        : `\\u{${letter.codePointAt(0)?.toString(16)}}`,
  );
  return new RegExp(`^${letters.join("")}$`, "u");
};
