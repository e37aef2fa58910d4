import { describe, expect, it } from "vitest";
import { derivedId } from "#contracts/ids";
import type { PolicyCommand } from "#contracts/policy/commands";
import type { PolicyEvent } from "#contracts/policy/events";
import type { ActionMode } from "#contracts/policy/mode";
import { type PolicyRule, maxRules } from "#contracts/policy/rules";
import { deciderSpec } from "../../testing/decider-spec.ts";
import { policyDecider } from "./decider.ts";
import { keyOf } from "./state.ts";

const { given } = deciderSpec(policyDecider);
const named = { integration: "demo", action: "publish" };
const author = { by: "usr_1", at: "2026-01-01T00:00:00.000Z" };
type Author = { readonly by: string | null; readonly at: string | null };
const set = (mode: ActionMode): PolicyEvent => ({
  type: "ActionModeSet",
  data: { ...named, mode, ...author },
});
const reviewed = (definitionHash: string): PolicyEvent => ({
  type: "ActionReviewed",
  data: { ...named, definitionHash },
});
const setMode = (mode: ActionMode, definitionHash: string | null = null): PolicyCommand => ({
  type: "SetActionMode",
  ...named,
  mode,
  ...author,
  definitionHash,
});

describe("modes", () => {
  it("are set once, and again only when they differ", () => {
    given().when(setMode("allow")).then(set("allow"));
    given(set("allow")).when(setMode("allow")).then();
    given(set("allow"), set("deny")).when(setMode("allow")).then(set("allow"));
  });

  it("name whoever has decided so, where that was kept", () => {
    const key = keyOf("demo", "publish");
    expect(given(set("allow")).state().modeAuthors).toEqual({ [key]: author });
    const earlier: PolicyEvent = {
      type: "ActionModeSet",
      data: { ...named, mode: "deny", by: null, at: null },
    };
    expect(given(set("allow"), earlier).state()).toMatchObject({
      modes: { [key]: "deny" },
      modeAuthors: {},
    });
    const automation = { ...named, triggerId: derivedId("trigger", "1"), ...author };
    const own = (mode: ActionMode | null): PolicyEvent => ({
      type: "AutomationModeSet",
      data: { ...automation, mode },
    });
    expect(given(own("allow")).state().modeAuthors).toEqual({
      [keyOf(automation.triggerId, "demo", "publish")]: author,
    });
    expect(given(own("allow"), own(null)).state().modeAuthors).toEqual({});
  });

  it("are a review of the action only where they let it run", () => {
    given().when(setMode("allow", "h1")).then(set("allow"), reviewed("h1"));
    given(set("allow"), reviewed("h1")).when(setMode("allow", "h2")).then(reviewed("h2"));
    given(set("allow"), reviewed("h1")).when(setMode("deny", "h2")).then(set("deny"));
  });
});

describe("risks", () => {
  type Risk = "read" | "danger" | null;
  const overridden = (action: string | null, risk: Risk, who: Author = author): PolicyEvent => ({
    type: "RiskOverridden",
    data: { integration: "demo", action, risk, ...who },
  });
  const override = (action: string | null, risk: Risk): PolicyCommand => ({
    type: "OverrideRisk",
    ...{ integration: "demo", action, risk, ...author },
  });

  it("are overridden once, for an action or the whole integration, by whoever says so", () => {
    given().when(override(null, "danger")).then(overridden(null, "danger"));
    given(overridden(null, "danger")).when(override(null, "danger")).then();
    given(overridden(null, "danger"))
      .when(override("publish", "danger"))
      .then(overridden("publish", "danger"));
    const both = given(overridden(null, "danger"), overridden("publish", "read")).state();
    const keys = [keyOf("demo", null), keyOf("demo", "publish")];
    expect(Object.entries(both.riskAuthors)).toEqual(keys.map((key) => [key, author]));
  });

  it("lose their author with the override, and to one whose author was not kept", () => {
    given(overridden(null, "danger")).when(override(null, null)).then(overridden(null, null));
    const taken = given(overridden(null, "danger"), overridden(null, null)).state();
    expect(taken).toEqual(policyDecider.initialState());
    const earlier = overridden(null, "read", { by: null, at: null });
    expect(given(overridden(null, "danger"), earlier).state()).toMatchObject({
      risks: { [keyOf("demo", null)]: "read" },
      riskAuthors: {},
    });
  });
});

describe("what is taken back", () => {
  const withdrawn: PolicyEvent = { type: "ActionReviewWithdrawn", data: named };
  const cleared: PolicyEvent = { type: "ActionModeCleared", data: named };
  const clear: PolicyCommand = { type: "ClearActionMode", ...named };
  const triggerId = derivedId("trigger", "1");
  const automationSet = (mode: ActionMode | null): PolicyEvent => ({
    type: "AutomationModeSet",
    data: { triggerId, ...named, mode, ...author },
  });
  const follow: PolicyCommand = {
    type: "SetAutomationMode",
    ...{ triggerId, ...named, mode: null, ...author, definitionHash: null },
  };

  it("is gone as if nobody had ever set it, with what was reviewed for it", () => {
    given(set("deny")).when(clear).then(cleared);
    given(set("allow"), reviewed("h1")).when(clear).then(cleared, withdrawn);
    given(automationSet("allow"), reviewed("h1")).when(follow).then(automationSet(null), withdrawn);
    given().when(clear).then();
    const state = given(set("allow"), reviewed("h1"), cleared, withdrawn).state();
    expect(state).toEqual(policyDecider.initialState());
  });

  it("leaves the review to whatever else lets the action run by its name", () => {
    given(set("allow"), reviewed("h1"), automationSet("allow")).when(clear).then(cleared);
    given(set("allow"), reviewed("h1"), automationSet("allow"))
      .when(follow)
      .then(automationSet(null));
    // An automation that does not let it run has no use for the review.
    given(set("allow"), reviewed("h1"), automationSet("deny")).when(clear).then(cleared, withdrawn);
  });
});

describe("rules", () => {
  const rule: PolicyRule = {
    ...named,
    mode: "allow",
    scope: { kind: "organization" },
    conditions: [],
    expiresAt: null,
    budget: 3,
    note: "",
  };
  const setRule = (change: Partial<PolicyRule> = {}, name = "1") =>
    ({
      type: "SetRule",
      ruleId: derivedId("rule", name),
      rule: { ...rule, ...change },
      by: "usr_1",
      at: "2026-01-01T00:00:00.000Z",
      definitionHash: null,
    }) as const satisfies PolicyCommand;
  const ruleSet = ({ ruleId, rule: data, by, at }: ReturnType<typeof setRule>): PolicyEvent => ({
    type: "PolicyRuleSet",
    data: { ruleId, rule: data, by, at },
  });

  it("say who set them, and keep their place when they are changed", () => {
    given().when(setRule()).then(ruleSet(setRule()));
    const state = given(
      ruleSet(setRule()),
      ruleSet(setRule({}, "2")),
      ruleSet(setRule({ mode: "deny", budget: null })),
    ).state();
    expect(state.rules.map(({ id, by, rule: { mode } }) => [id, by, mode])).toEqual([
      [derivedId("rule", "1"), "usr_1", "deny"],
      [derivedId("rule", "2"), "usr_1", "allow"],
    ]);
  });

  it("have a budget only where they allow", () => {
    given()
      .when(setRule({ mode: "deny" }))
      .thenRejects("policy_rule_invalid");
  });

  it("are limited in number, but can be changed at the limit", () => {
    const full = Array.from({ length: maxRules }, (_, n) => ruleSet(setRule({}, String(n))));
    given(...full)
      .when(setRule({}, "one more"))
      .thenRejects("too_many_policy_rules");
    given(...full)
      .when(setRule({ note: "why" }, "5"))
      .then(ruleSet(setRule({ note: "why" }, "5")));
  });
});

it("says that full results are kept, once", () => {
  const set = (keep: boolean) => ({ type: "SetFullResultKeeping", keep }) as const;
  const isSet = (keep: boolean): PolicyEvent => ({ type: "FullResultKeepingSet", data: { keep } });
  given().when(set(false)).then();
  given().when(set(true)).then(isSet(true));
  given(isSet(true)).when(set(true)).then();
  given(isSet(true)).when(set(false)).then(isSet(false));
});
