import { describe, expect, it } from "vitest";
import type { PolicyEvent } from "#contracts/policy/events";
import { deciderSpec } from "../testing/decider-spec.ts";
import { policyDecider } from "./decider.ts";
import { resolveMode } from "./modes.ts";

const { given } = deciderSpec(policyDecider);
const set = (
  mode: "allow" | "require_approval" | "deny",
  integration = "demo",
  action = "publish",
): PolicyEvent => ({
  type: "ActionModeSet",
  data: { integration, action, mode },
});

describe("policy decider", () => {
  it("sets a mode once, and again only when it differs", () => {
    const command = {
      type: "SetActionMode",
      integration: "demo",
      action: "publish",
      mode: "allow",
    } as const;
    given().when(command).then(set("allow"));
    given(set("allow")).when(command).then();
    given(set("allow"), set("deny")).when(command).then(set("allow"));
  });
});

describe("modes", () => {
  const inferred = given().state();

  it.each([
    ["read", "allow"],
    ["write", "require_approval"],
    ["danger", "deny"],
  ] as const)("infers %s as %s", (risk, mode) => {
    expect(resolveMode(inferred, { integration: "demo", action: "x", risk })).toEqual({
      mode,
      source: "inferred",
    });
  });

  it("prefers what the organisation has set, in either direction", () => {
    const state = given(set("deny", "demo", "list"), set("allow", "demo", "wipe")).state();
    expect(resolveMode(state, { integration: "demo", action: "list", risk: "read" })).toEqual({
      mode: "deny",
      source: "organization",
    });
    expect(resolveMode(state, { integration: "demo", action: "wipe", risk: "danger" }).mode).toBe(
      "allow",
    );
  });

  it("does not confuse names that run together, nor names that every object has", () => {
    const state = given(set("allow", "a:b", "c")).state();
    expect(resolveMode(state, { integration: "a", action: "b:c", risk: "danger" }).mode).toBe(
      "deny",
    );
    expect(
      resolveMode(state, { integration: "__proto__", action: "constructor", risk: "danger" }).mode,
    ).toBe("deny");
  });
});
