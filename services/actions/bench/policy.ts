/** What the decision of a policy costs, without reading it: pure CPU. */
import { performance } from "node:perf_hooks";
import { derivedId } from "#contracts/ids";
import { maxRules, type PolicyRule } from "#contracts/policy/rules";
import { percentile } from "#event-store/bench/percentile";
import { policyDecider } from "../../policy/aggregate/decider.ts";
import { type ActionAsked, decideMode } from "../../policy/deciding/decide-mode.ts";
import type { PolicyState } from "../../policy/aggregate/state.ts";

interface DecisionFigures {
  /** By the clock, with whatever else the machine does. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of a decision. */
  readonly cpu: number;
}

export interface PolicyMicros {
  /** 1,000 rules of the same action, each for texts that begin otherwise. */
  readonly sameAction: DecisionFigures;
  /** 1,000 rules of the same action, whose patterns differ in the middle only: each has to be tried. */
  readonly samePrefix: DecisionFigures;
  /** 1,000 rules of other actions. */
  readonly otherActions: DecisionFigures;
  /** Once for each version of the rules. */
  readonly compile: number;
}

const warmUps = 2_000;
const decisions = 5_000;

export const benchPolicy = (): PolicyMicros => {
  const glob = (pattern: string): Partial<PolicyRule> => ({
    conditions: [{ op: "matches", path: "channel", glob: pattern }],
  });
  const sameAction = policyOf((index) => glob(`#team-${index}-*`));
  return {
    sameAction: measure(sameAction),
    samePrefix: measure(policyOf((index) => glob(`#team-*-${index}-*-production`))),
    otherActions: measure(
      policyOf((index) => ({ ...glob(`#team-${index}-*`), action: `other_${index}` })),
    ),
    compile: compileMicros(sameAction),
  };
};

const policyOf = (ruleOf: (index: number) => Partial<PolicyRule>): PolicyState => ({
  ...policyDecider.initialState(),
  rules: Array.from({ length: maxRules }, (_, index) => ({
    id: derivedId("rule", String(index)),
    by: "usr_bench",
    at: "2026-01-01T00:00:00.000Z",
    rule: {
      integration: "local",
      action: "send",
      mode: "allow",
      scope: { kind: "organization" },
      conditions: [],
      expiresAt: null,
      budget: null,
      note: "",
      ...ruleOf(index),
    },
  })),
});

/** No rule applies to it, so that none spares the others from being looked at. */
const asked: ActionAsked = {
  integration: "local",
  action: "send",
  params: { channel: "#team-releases-of-europe-production" },
  risk: "read",
  definitionHash: "bench",
  sessionId: derivedId("session", "bench"),
  triggerId: null,
  now: "2026-01-02T00:00:00.000Z",
};

const measure = (policy: PolicyState): DecisionFigures => {
  for (let count = 0; count < warmUps; count += 1) decideMode(policy, asked);
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let count = 0; count < decisions; count += 1) {
    const startedAt = performance.now();
    decideMode(policy, asked);
    times.push((performance.now() - startedAt) * 1_000);
  }
  const { user, system } = process.cpuUsage(before);
  return {
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    cpu: Number(((user + system) / decisions).toFixed(1)),
  };
};

const compilations = 20;

const compileMicros = (policy: PolicyState): number => {
  const before = process.cpuUsage();
  // Other rules, by identity, have not been compiled.
  for (let count = 0; count < compilations; count += 1) {
    decideMode({ ...policy, rules: [...policy.rules] }, asked);
  }
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / compilations);
};
