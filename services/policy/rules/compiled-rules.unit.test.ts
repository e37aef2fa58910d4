import fc from "fast-check";
import { expect, it } from "vitest";
import { derivedId } from "#contracts/ids";
import { actionModeSchema } from "#contracts/policy/mode";
import type { Condition, PolicyRule } from "#contracts/policy/rules";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { compiledRules, type RuleQuestion } from "./compiled-rules.ts";
import type { StoredRule } from "../aggregate/state.ts";
import { decidingRule } from "./testing/plain-rules.ts";

// Few values, so that rules and calls meet.
const names = fc.constantFrom("slack", "git");
const ruleNames = fc.constantFrom("slack", "git", "*");
const integrations = fc.constantFrom("slack", "git", "agent");
const ruleIntegrations = fc.constantFrom("slack", "git", "agent", "*");
const sessions = fc.constantFrom(derivedId("session", "1"), derivedId("session", "2"));
const triggers = fc.constantFrom(derivedId("trigger", "1"), derivedId("trigger", "2"));
const instants = fc.constantFrom(
  "2026-01-01T00:00:00.000Z",
  "2026-01-01T00:00:00.001Z",
  "2026-02-01T00:00:00.000Z",
);
const letters = (...of: readonly string[]) =>
  fc.string({ unit: fc.constantFrom(...of), minLength: 1, maxLength: 6 });
const plain = fc.oneof(letters("a", "b"), fc.constantFrom(0, 1, 2), fc.boolean());
const paths = fc.constantFrom("a", "a.b", "b", "constructor");

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ op: fc.constant("equals" as const), path: paths, value: plain }),
  fc.record({ op: fc.constant("in" as const), path: paths, values: fc.array(plain) }),
  fc.record({
    op: fc.constant("matches" as const),
    path: paths,
    glob: letters("a", "b", "*", "?"),
  }),
  fc.record({
    op: fc.constant("between" as const),
    path: paths,
    min: fc.constantFrom(null, 0, 1),
    max: fc.constantFrom(null, 1, 2),
  }),
);
const rule: fc.Arbitrary<PolicyRule> = fc.record({
  integration: ruleIntegrations,
  action: ruleNames,
  mode: arbitraryOf(actionModeSchema),
  scope: fc.oneof(
    fc.constant({ kind: "organization" as const }),
    fc.record({ kind: fc.constant("session" as const), sessionId: sessions }),
    fc.record({ kind: fc.constant("automation" as const), triggerId: triggers }),
  ),
  conditions: fc.array(condition, { maxLength: 2 }),
  expiresAt: fc.option(instants),
  budget: fc.constant(null),
  note: fc.constant(""),
});
const rules: fc.Arbitrary<readonly StoredRule[]> = fc.array(rule, { maxLength: 12 }).map((all) =>
  all.map((each, index) => ({
    id: derivedId("rule", String(index)),
    rule: each,
    by: "usr_1",
    at: "2026-01-01T00:00:00.000Z",
  })),
);
const inside = fc.oneof(plain, fc.constant(null), fc.array(plain), fc.record({ b: plain }));
const asked: fc.Arbitrary<RuleQuestion> = fc.record({
  integration: integrations,
  action: names,
  params: fc.record({ a: inside, b: inside }, { requiredKeys: [] }),
  sessionId: fc.option(sessions),
  triggerId: fc.option(triggers),
  now: instants,
});
/** The places of rules whose budget is used up. */
const spentPlaces = fc.array(fc.nat(11), { maxLength: 4 });

it("decide as rules do that are asked one by one", () => {
  let decided = 0;
  fc.assert(
    fc.property(rules, fc.array(asked, { minLength: 1 }), spentPlaces, (all, calls, places) => {
      const spent = new Set(places.map((place) => derivedId("rule", String(place))));
      for (const call of calls) {
        const expected = decidingRule(all, call, spent);
        expect(compiledRules(all).first(call, spent)?.id).toBe(expected?.id);
        if (expected) decided += 1;
      }
    }),
    { numRuns: 1_000 },
  );
  // Otherwise the property could hold because no rule ever applies. Chance decides how many do: 700 to 850.
  expect(decided).toBeGreaterThan(100);
});

it("decide so where many patterns of one parameter differ anywhere in their midst", () => {
  const glob = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "-"), maxLength: 14 });
  const wrapped = fc.record({
    glob: fc.oneof(
      glob,
      glob.map((inner) => `a*${inner}*a`),
    ),
    text: fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 40 }),
  });
  const sample = fc.record({
    patterns: fc.array(wrapped, { minLength: 20, maxLength: 60 }),
    mode: arbitraryOf(actionModeSchema),
  });
  let decided = 0;
  fc.assert(
    fc.property(sample, ({ patterns, mode }) => {
      const all = patterns.map(({ glob: pattern }, index): StoredRule => ({
        id: derivedId("rule", String(index)),
        rule: {
          ...{ integration: "slack", action: "*", mode, scope: { kind: "organization" } },
          conditions: [{ op: "matches", path: "a", glob: pattern }],
          ...{ expiresAt: null, budget: null, note: "" },
        },
        by: "usr_1",
        at: "2026-01-01T00:00:00.000Z",
      }));
      for (const { text } of patterns.slice(0, 10)) {
        // Each without those that would decide before it, so that every rule is met.
        const spent = new Set<StoredRule["id"]>();
        for (;;) {
          const call: RuleQuestion = {
            ...{ integration: "slack", action: "send", params: { a: text } },
            ...{ sessionId: null, triggerId: null, now: "2026-01-01T00:00:00.000Z" },
          };
          const expected = decidingRule(all, call, spent);
          expect(compiledRules(all).first(call, spent)?.id).toBe(expected?.id);
          if (expected === null) break;
          spent.add(expected.id);
          decided += 1;
        }
      }
    }),
    { numRuns: 50 },
  );
  // As above; 900 to 1,200.
  expect(decided).toBeGreaterThan(100);
});

it("are found to apply, one by one, just where they may decide", () => {
  fc.assert(
    fc.property(rules, asked, spentPlaces, (all, call, places) => {
      const spent = new Set(places.map((place) => derivedId("rule", String(place))));
      const applying = compiledRules(all)
        .judge(call, spent)
        .filter(({ verdict }) => verdict === "applies");
      for (const { stored } of applying) {
        expect(compiledRules([stored]).first(call, spent)).toBe(stored);
      }
      const first = compiledRules(all).first(call, spent);
      expect(applying.some(({ stored }) => stored === first)).toBe(first !== null);
    }),
    { numRuns: 500 },
  );
});

it("are compiled once for the same rules", () => {
  const [all = []] = fc.sample(rules, { seed: 1, numRuns: 1 });
  expect(compiledRules(all)).toBe(compiledRules(all));
});
