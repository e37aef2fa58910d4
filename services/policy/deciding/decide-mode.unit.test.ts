import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { derivedId } from "#contracts/ids";
import type { ActionMode } from "#contracts/policy/mode";
import type { Condition, PolicyRule } from "#contracts/policy/rules";
import { type ActionAsked, decideMode } from "./decide-mode.ts";
import { dryRun } from "./dry-run.ts";
import { compileGlob } from "../rules/glob.ts";
import { policyDecider } from "../aggregate/decider.ts";
import { keyOf, type PolicyState } from "../aggregate/state.ts";
import { toolPermissions } from "./tool-permissions.ts";

const triggerId = derivedId("trigger", "1");
const sessionId = derivedId("session", "1");
const asked: ActionAsked = {
  integration: "slack",
  action: "send",
  params: { channel: "#releases" },
  risk: "write",
  definitionHash: "h1",
  sessionId,
  triggerId,
  now: "2026-01-02T00:00:00.000Z",
};
const nothing = policyDecider.initialState();
const key = keyOf("slack", "send");
const rule = (name: string, change: Partial<PolicyRule>): PolicyState["rules"][number] => ({
  id: derivedId("rule", name),
  by: "usr_1",
  at: "2026-01-01T00:00:00.000Z",
  rule: {
    integration: "slack",
    action: "send",
    mode: "allow",
    scope: { kind: "organization" },
    conditions: [],
    expiresAt: null,
    budget: null,
    note: "",
    ...change,
  },
});
const withRules = (...rules: PolicyState["rules"]): PolicyState => ({ ...nothing, rules });

describe("without a rule", () => {
  it.each([
    ["read", "allow"],
    ["write", "require_approval"],
    ["danger", "deny"],
  ] as const)("the risk %s suggests %s", (risk, mode) => {
    expect(decideMode(nothing, { ...asked, risk })).toMatchObject({ mode, source: "inferred" });
  });

  it("the automation goes before the organisation, and both before the risk", () => {
    const set = { ...nothing, modes: { [key]: "deny" } as const };
    const own = {
      ...set,
      automationModes: { [keyOf(triggerId, "slack", "send")]: "allow" } as const,
    };
    expect(decideMode(set, asked)).toMatchObject({ mode: "deny", source: "organization" });
    expect(decideMode(own, asked)).toMatchObject({ mode: "allow", source: "automation" });
    expect(decideMode(own, { ...asked, triggerId: null }).source).toBe("organization");
  });

  it("an override of the risk counts, the action's before its integration's", () => {
    const whole = { ...nothing, risks: { [keyOf("slack", null)]: "danger" } as const };
    const both = { ...nothing, risks: { ...whole.risks, [key]: "read" } as const };
    expect(decideMode(whole, asked).mode).toBe("deny");
    expect(decideMode(both, asked).mode).toBe("allow");
  });

  it("refuses where somebody has set what nobody knows", () => {
    const unknown = "sometimes" as never;
    for (const policy of [
      { ...nothing, modes: { [key]: unknown } },
      { ...nothing, automationModes: { [keyOf(triggerId, "slack", "send")]: unknown } },
      { ...nothing, risks: { [key]: unknown } },
      withRules(rule("1", { mode: unknown })),
    ]) {
      expect(decideMode(policy, { ...asked, risk: "read" }).mode).toBe("deny");
    }
  });

  it("does not confuse names that run together, nor names that every object has", () => {
    const set = { ...nothing, modes: { [keyOf("a:b", "c")]: "allow" } as const };
    const danger = { ...asked, risk: "danger" } as const;
    expect(decideMode(set, { ...danger, integration: "a", action: "b:c" }).mode).toBe("deny");
    expect(decideMode(set, { ...danger, integration: "__proto__", action: "x" }).mode).toBe("deny");
  });
});

describe("drift", () => {
  it.each([
    ["allow", "require_approval", true],
    ["require_approval", "require_approval", false],
    ["deny", "deny", false],
  ] as const)("of what was set to %s makes it %s", (set, mode, drifted) => {
    const policy = { ...nothing, modes: { [key]: set }, reviewed: { [key]: "h0" } };
    expect(decideMode(policy, asked)).toMatchObject({ mode, drifted });
    expect(decideMode({ ...policy, reviewed: { [key]: "h1" } }, asked).mode).toBe(set);
  });

  it("also stops what a rule allows", () => {
    const policy = { ...withRules(rule("1", {})), reviewed: { [key]: "h0" } };
    expect(decideMode(policy, asked)).toMatchObject({ mode: "require_approval", drifted: true });
  });
});

describe("rules", () => {
  it("go before modes, in this order: refusal, scope, what they name, strictness, age", () => {
    const inOrder = [
      rule("refusal of anything", { mode: "deny", integration: "*", action: "*" }),
      rule("session", { scope: { kind: "session", sessionId }, action: "*" }),
      rule("automation", { scope: { kind: "automation", triggerId } }),
      rule("asks", { mode: "require_approval" }),
      rule("older", {}),
      rule("younger", {}),
      rule("any action", { mode: "require_approval", action: "*" }),
      rule("anything", { integration: "*", action: "*" }),
    ];
    for (let first = 0; first < inOrder.length; first += 1) {
      const rest = inOrder.slice(first);
      // The order in which they were set matters only between the two that differ in nothing else.
      const older = rest.filter(({ id }) => id === derivedId("rule", "older"));
      const shuffled = [...older, ...rest.filter((each) => !older.includes(each)).reverse()];
      expect(decideMode(withRules(...shuffled), asked).rule?.id).toBe(rest[0]?.id);
    }
  });
  it("speak only of their action and scope, and only as long as they last", () => {
    const others = withRules(
      rule("1", { action: "list" }),
      rule("2", { scope: { kind: "session", sessionId: derivedId("session", "2") } }),
      rule("3", { expiresAt: asked.now }),
      rule("4", { conditions: [{ op: "equals", path: "channel", value: "#general" }] }),
      rule("5", { budget: 1 }),
    );
    const spent = new Set([derivedId("rule", "5")]);
    expect(dryRun(others, asked, spent)).toMatchObject({
      mode: "require_approval",
      source: "inferred",
      ruleId: null,
      rules: [
        { finding: "other_action" },
        { finding: "other_scope" },
        { finding: "expired" },
        { finding: "condition_not_met" },
        { finding: "budget_spent" },
      ],
    });
    const moment = { ...asked, now: "2026-01-01T23:59:59.999Z" };
    const { rules, ruleId } = dryRun(others, moment, new Set());
    expect(ruleId).toBe(derivedId("rule", "3"));
    expect(rules.map(({ finding }) => finding)).toEqual([
      "other_action",
      "other_scope",
      "decides",
      "condition_not_met",
      "outranked",
    ]);
  });
});

describe("conditions", () => {
  const hold = (
    condition: Condition,
    params: Record<string, unknown>,
    mode: ActionMode = "allow",
  ) => {
    const policy = withRules(rule("1", { conditions: [condition], mode }));
    return decideMode(policy, { ...asked, params }).source === "rule";
  };

  it("compare values where they are, by name", () => {
    const params = { issue: { team: "core", points: 5, urgent: true } };
    expect(hold({ op: "equals", path: "issue.team", value: "core" }, params)).toBe(true);
    expect(hold({ op: "in", path: "issue.points", values: [3, 5] }, params)).toBe(true);
    expect(hold({ op: "in", path: "issue.points", values: [3] }, params)).toBe(false);
    expect(hold({ op: "matches", path: "issue.team", glob: "c?r*" }, params)).toBe(true);
    expect(hold({ op: "between", path: "issue.points", min: 5, max: null }, params)).toBe(true);
    expect(hold({ op: "between", path: "issue.points", min: null, max: 4 }, params)).toBe(false);
    expect(hold({ op: "equals", path: "constructor.name", value: "Object" }, params)).toBe(false);
  });

  it.each([
    [{ op: "equals", path: "n", value: 5 }, { n: "5" }],
    [{ op: "in", path: "n", values: ["a"] }, { n: ["a", "b"] }],
    [{ op: "between", path: "n", min: 0, max: 9 }, { n: "5" }],
    [{ op: "matches", path: "n", glob: "*" }, { n: "x".repeat(10_001) }],
    [{ op: "matches", path: "n", glob: "x*" }, { n: "x".repeat(10_001) }],
    [{ op: "matches", path: "n", glob: "x*" }, { n: ["x"] }],
    [{ op: "equals", path: "n.x", value: 5 }, { n: [{ x: 5 }] }],
  ] as const)("that cannot be told, %j of %j, count as the stricter", (condition, params) => {
    expect(hold(condition as Condition, params)).toBe(false);
    expect(hold(condition as Condition, params, "deny")).toBe(true);
    expect(hold(condition as Condition, params, "require_approval")).toBe(true);
  });

  it("of what is not there are not met", () => {
    expect(hold({ op: "equals", path: "n", value: 5 }, {}, "deny")).toBe(false);
    expect(hold({ op: "matches", path: "n", glob: "*" }, { n: null }, "deny")).toBe(false);
  });
});

describe("patterns", () => {
  it("mean what the same regular expression means", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "/"), maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, (glob, text) => {
        const expression = [...glob].map((letter) =>
          letter === "*" ? "[^]*" : letter === "?" ? "[^]" : `[${letter}]`,
        );
        expect(compileGlob(glob)(text)).toBe(new RegExp(`^${expression.join("")}$`).test(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("that would hold up a regular expression for ever are decided", () => {
    expect(compileGlob(`${"?*a*".repeat(100)}b`)("a".repeat(10_000))).toBe(false);
    expect(compileGlob(`${"a*".repeat(100)}b`)("a".repeat(10_000))).toBe(false);
  });
});

describe("the agent's own tools", () => {
  const bash: ActionAsked = { ...asked, integration: "agent", action: "bash" };
  const permissions = (policy: PolicyState) =>
    toolPermissions(policy, { sessionId, triggerId, now: asked.now });

  it("run until somebody decides otherwise, and then nothing asks needlessly", () => {
    expect(decideMode(nothing, bash)).toMatchObject({ mode: "allow", source: "inferred" });
    expect(permissions(nothing)).toBeNull();
    const allowed = withRules(rule("1", { integration: "agent", action: "bash" }));
    expect(permissions(allowed)).toBeNull();
  });

  it("are not what a rule for every integration speaks of", () => {
    const policy = withRules(rule("1", { integration: "*", action: "*", mode: "deny" }));
    expect(decideMode(policy, bash).mode).toBe("allow");
    expect(permissions(policy)).toBeNull();
  });

  it("ask where a rule of this session may want it, whatever its conditions", () => {
    const git: Condition = { op: "matches", path: "command", glob: "git push*" };
    const guarded = { integration: "agent", action: "bash", mode: "require_approval" } as const;
    const policy = withRules(rule("1", { ...guarded, conditions: [git] }));
    expect(permissions(policy)).toEqual({ "*": "allow", bash: "ask" });
    expect(decideMode(policy, { ...bash, params: { command: "git push --force" } }).mode).toBe(
      "require_approval",
    );
    expect(decideMode(policy, { ...bash, params: { command: "git status" } }).mode).toBe("allow");
    const others = { kind: "session", sessionId: derivedId("session", "2") } as const;
    expect(permissions(withRules(rule("1", { ...guarded, scope: others })))).toBeNull();
  });

  it("all ask under a rule for all of them, or a risk that somebody has given them", () => {
    const every = { integration: "agent", action: "*", mode: "deny" } as const;
    const asking = { "*": "ask", bash: "ask" };
    expect(permissions(withRules(rule("1", every)))).toEqual(asking);
    expect(permissions({ ...nothing, risks: { [keyOf("agent", null)]: "write" } })).toEqual(asking);
    expect(
      permissions({
        ...nothing,
        risks: { [keyOf("agent", null)]: "danger" },
        modes: { [keyOf("agent", "read")]: "allow" },
      }),
    ).toEqual({ "*": "ask", bash: "ask", read: "allow" });
  });

  it.each(["__proto__", "constructor"])("may have any name: %s", (action) => {
    const policy = withRules(rule("1", { integration: "agent", action, mode: "deny" }));
    expect(Object.entries(permissions(policy) ?? {})).toContainEqual([action, "ask"]);
  });
});
