/**
 * The rules of a policy, made ready to decide: in the order in which they go before each other, by the
 * integration and action that they name, and with conditions that need not be read again. It is done once
 * for each version of the rules; whether a rule has expired, and whether it has calls left, is asked each
 * time. Pure.
 */
import type { RuleId, SessionId, TriggerId } from "#contracts/ids";
import { agentIntegration } from "#contracts/policy/agent-tools";
import type { ActionMode } from "#contracts/policy/mode";
import { anyName, type PolicyRule, type RuleScope } from "#contracts/policy/rules";
import { compileCondition, type ConditionTest } from "./conditions.ts";
import { ParameterPaths } from "./parameters.ts";
import { GuardedByText, guardsOf, rarestGuards } from "./rule-guards.ts";
import { keyOf, type StoredRule } from "../aggregate/state.ts";

/** What of a call rules may depend on. */
export interface RuleQuestion {
  readonly integration: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Null where it is asked about no session in particular. */
  readonly sessionId: SessionId | null;
  /** Whose automation the session works for; null for a person's. */
  readonly triggerId: TriggerId | null;
  /** ISO 8601 instant in UTC, with milliseconds. */
  readonly now: string;
}

/** Why a rule applies or does not. */
type RuleVerdict =
  "applies" | "other_action" | "other_scope" | "expired" | "condition_not_met" | "budget_spent";

export interface CompiledRules {
  /** The rule that goes before all others that apply; null if none does. */
  first(asked: RuleQuestion, spent: ReadonlySet<RuleId>): StoredRule | null;
  /** What becomes of each rule, in the order in which they were first set. */
  judge(asked: RuleQuestion, spent: ReadonlySet<RuleId>): readonly JudgedRule[];
}

export interface JudgedRule {
  readonly stored: StoredRule;
  readonly verdict: RuleVerdict;
}

const compiled = new WeakMap<readonly StoredRule[], CompiledRules>();

/** The same rules, by identity, are compiled once. */
export const compiledRules = (rules: readonly StoredRule[]): CompiledRules => {
  const known = compiled.get(rules);
  if (known) return known;
  const made = compile(rules);
  compiled.set(rules, made);
  return made;
};

interface CompiledRule {
  readonly stored: StoredRule;
  /** A lower one goes first. */
  readonly rank: number;
  readonly conditions: readonly { readonly path: number; readonly test: ConditionTest }[];
  /** Where a condition cannot be told, the stricter answer counts. */
  readonly unlessTold: boolean;
}

const compile = (rules: readonly StoredRule[]): CompiledRules => {
  const paths = new ParameterPaths();
  // The sorting keeps the order of those that differ in nothing else: the older goes first.
  const inOrder = [...rules].sort(byPrecedence).map((stored, rank): CompiledRule => ({
    stored,
    rank,
    conditions: stored.rule.conditions.map((condition) => ({
      path: paths.numberOf(condition.path),
      test: compileCondition(condition),
    })),
    unlessTold: stored.rule.mode !== "allow",
  }));
  const grouped = new Map<string, CompiledRule[]>();
  for (const rule of inOrder) {
    const { integration, action } = rule.stored.rule;
    const key = keyOf(integration, action);
    const same = grouped.get(key) ?? [];
    grouped.set(key, same);
    same.push(rule);
  }
  const byName = new Map([...grouped].map(([name, same]) => [name, new SameNamed(same, paths)]));
  const byId = new Map(inOrder.map((rule) => [rule.stored.id, rule]));
  return {
    first: (asked, spent) => {
      const call = { asked, spent, read: paths.reader(asked.params) };
      let found: CompiledRule | null = null;
      for (const name of namesOf(asked)) {
        for (const list of byName.get(name)?.lists(call.read) ?? []) {
          found = firstOf(list, call, found);
        }
      }
      return found?.stored ?? null;
    },
    judge: (asked, spent) => {
      const call = { asked, spent, read: paths.reader(asked.params) };
      return rules.map((stored) => {
        const rule = names(stored.rule, asked) ? byId.get(stored.id) : undefined;
        return { stored, verdict: rule ? verdictOf(rule, call) : "other_action" };
      });
    },
  };
};

/** The rules that name the same, so that only those need to be asked whose texts may be meant. */
class SameNamed {
  readonly #unguarded: CompiledRule[] = [];
  readonly #guarded = new Map<number, GuardedByText<CompiledRule>>();

  /** @param rules in the order in which they go before each other */
  constructor(rules: readonly CompiledRule[], paths: ParameterPaths) {
    const guards = rarestGuards(rules.map(({ stored }) => guardsOf(stored.rule.conditions)));
    for (const [index, rule] of rules.entries()) {
      const guard = guards[index] ?? null;
      if (guard === null) {
        this.#unguarded.push(rule);
        continue;
      }
      const path = paths.numberOf(guard.path);
      const guarded = this.#guarded.get(path) ?? new GuardedByText();
      this.#guarded.set(path, guarded);
      guarded.add(guard, rule);
    }
  }

  *lists(read: (path: number) => unknown): Generator<readonly CompiledRule[]> {
    yield this.#unguarded;
    for (const [path, guarded] of this.#guarded) yield* guarded.lists(read(path));
  }
}

/** The first of the list that applies, unless what was found before goes before it. */
const firstOf = (
  list: readonly CompiledRule[],
  call: Call,
  found: CompiledRule | null,
): CompiledRule | null => {
  const last = found?.rank ?? Infinity;
  for (const rule of list) {
    if (rule.rank >= last) return found;
    if (verdictOf(rule, call) === "applies") return rule;
  }
  return found;
};

/**
 * The names of rules that speak of an action. One of every integration speaks of what reaches outside: it was
 * not made to stop an agent at each file that it reads. The agent's own tools are named as such.
 */
const namesOf = ({ integration, action }: RuleQuestion): readonly string[] =>
  (integration === agentIntegration ? [integration] : [integration, anyName]).flatMap((name) => [
    keyOf(name, action),
    keyOf(name, anyName),
  ]);

const names = ({ integration, action }: PolicyRule, asked: RuleQuestion): boolean =>
  namesOf(asked).includes(keyOf(integration, action));

interface Call {
  readonly asked: RuleQuestion;
  readonly spent: ReadonlySet<RuleId>;
  readonly read: (path: number) => unknown;
}

/** Of a rule that names the action. */
const verdictOf = (rule: CompiledRule, call: Call): Exclude<RuleVerdict, "other_action"> => {
  const { scope, expiresAt } = rule.stored.rule;
  if (!isInScope(scope, call.asked)) return "other_scope";
  // Both are instants of the same form, which sort as text.
  if (expiresAt !== null && expiresAt <= call.asked.now) return "expired";
  for (const { path, test } of rule.conditions) {
    if (!(test(call.read(path)) ?? rule.unlessTold)) return "condition_not_met";
  }
  return call.spent.has(rule.stored.id) ? "budget_spent" : "applies";
};

const isInScope = (scope: RuleScope, { sessionId, triggerId }: RuleQuestion): boolean => {
  switch (scope.kind) {
    case "organization":
      return true;
    case "automation":
      return scope.triggerId === triggerId;
    case "session":
      return scope.sessionId === sessionId;
  }
};

const scopeRank = { session: 0, automation: 1, organization: 2 } as const;
const strictness: Readonly<Record<ActionMode, number>> = { deny: 0, require_approval: 1, allow: 2 };

/** Compared from the left; smaller goes first. */
const ranksOf = ({ mode, scope, integration, action }: PolicyRule): readonly number[] => [
  mode === "deny" ? 0 : 1,
  scopeRank[scope.kind],
  Number(integration === anyName) + Number(action === anyName),
  strictness[mode],
];

const byPrecedence = (one: StoredRule, other: StoredRule): number => {
  const [mine, others] = [ranksOf(one.rule), ranksOf(other.rule)];
  const differs = mine.findIndex((rank, index) => rank !== others[index]);
  return differs < 0 ? 0 : (mine[differs] ?? 0) - (others[differs] ?? 0);
};
