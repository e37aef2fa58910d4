import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  getPolicy,
  createRule,
  dryRunPolicy,
  removeRule,
  replaceRule,
} from "#contracts/http/policy";
import { newId, type RuleId } from "#contracts/ids";
import type { PolicyRule } from "#contracts/policy/rules";
import { newCommandMeta } from "#event-store/command-meta";
import { type ActionWorld, startActionWorld } from "../actions/testing/action-world.ts";
import { callHandler } from "../actions/testing/call-handler.ts";
import { createRuleBudgets } from "./budgets/budgets.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
});
afterAll(() => world.close());

const anyVersion: PolicyRule = {
  integration: "demo",
  action: "publish_release",
  mode: "allow",
  scope: { kind: "organization" },
  conditions: [],
  expiresAt: null,
  budget: null,
  note: "",
};
const addRule = async (change: Partial<PolicyRule>): Promise<RuleId> => {
  const { body } = await callHandler(world.handlers, createRule, {
    principal: world.admin(),
    body: { ...anyVersion, ...change },
  });
  return body.ruleId;
};
const takeBack = (ruleId: RuleId) =>
  callHandler(world.handlers, removeRule, { principal: world.admin(), params: { ruleId } });
const policy = async () =>
  (await callHandler(world.handlers, getPolicy, { principal: world.admin() })).body;
const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });

describe("rules", () => {
  it("decide on the parameters that they speak of, say so beforehand, and are recorded", async () => {
    const sessionId = await world.stack.createSession();
    const version = world.nextVersion();
    const ruleId = await addRule({
      scope: { kind: "session", sessionId },
      conditions: [{ op: "matches", path: "version", glob: `${version}` }],
      note: "this one",
    });
    const asked = { integration: "demo", action: "publish_release", params: { version } };
    const { body: foreseen } = await callHandler(world.handlers, dryRunPolicy, {
      principal: world.admin(),
      body: { sessionId, ...asked },
    });
    expect(foreseen).toMatchObject({
      mode: "allow",
      source: "rule",
      ruleId,
      rules: [{ ruleId, finding: "decides" }],
    });
    expect(world.published(version)).toBe(0);

    expect((await world.invoke(sessionId, asked)).status).toBe(200);
    const other = { ...asked, params: { version: world.nextVersion() } };
    expect((await world.invoke(sessionId, other)).status).toBe(202);
    const elsewhere = await world.stack.createSession();
    expect((await world.invoke(elsewhere, other)).status).toBe(202);

    await takeBack(ruleId);
    await expect(takeBack(ruleId)).rejects.toMatchObject({ code: "policy_rule_not_found" });
    const { body: after } = await callHandler(world.handlers, dryRunPolicy, {
      principal: world.admin(),
      body: { sessionId, ...asked },
    });
    expect(after).toMatchObject({ mode: "require_approval", source: "inferred", rules: [] });
  });

  it("are listed with their author and what is spent of them", async () => {
    const sessionId = await world.stack.createSession();
    const scope = { kind: "session", sessionId } as const;
    const ruleId = await addRule({ scope, budget: 1, expiresAt: "2099-01-01T00:00:00Z" });
    const publish = () =>
      world.invoke(sessionId, {
        params: { version: world.nextVersion() },
        idempotencyKey: newId("command"),
      });
    expect((await publish()).status).toBe(200);
    expect((await publish()).status).toBe(202);
    const find = async () => (await policy()).rules.find(({ id }) => id === ruleId);
    expect(await find()).toMatchObject({
      by: expect.stringMatching(/^usr_/) as unknown,
      spent: 1,
      budget: 1,
      expiresAt: "2099-01-01T00:00:00.000Z",
    });
    await callHandler(world.handlers, replaceRule, {
      principal: world.admin(),
      params: { ruleId },
      body: { ...anyVersion, scope, budget: 2 },
    });
    expect((await publish()).status).toBe(200);
    expect(await find()).toMatchObject({ spent: 2, budget: 2 });
    await takeBack(ruleId);
  });
});

it("spends a budget of 100 exactly, whatever the number of calls and of gateways", async () => {
  const { store, organization } = world.stack;
  const rule = { organization, id: newId("rule") };
  const gateways = [createRuleBudgets(store), createRuleBudgets(store)];
  const calls = Array.from({ length: 1_000 }, () => newId("invocation"));
  const granted = await Promise.all(
    calls.map(async (invocationId, index) =>
      gateways[index % 2]?.spend(rule, { budget: 100, invocationId }, meta()),
    ),
  );
  expect(granted.filter((each) => each === true)).toHaveLength(100);
  expect(granted.filter((each) => each === false)).toHaveLength(900);
  expect(await gateways[0]?.spent(rule)).toBe(100);
  // Whoever has spent one may ask again.
  const [known] = calls.filter((_, index) => granted[index]);
  if (!known) throw new Error("nobody was granted anything");
  expect(await gateways[1]?.spend(rule, { budget: 100, invocationId: known }, meta())).toBe(true);
}, 120_000);
