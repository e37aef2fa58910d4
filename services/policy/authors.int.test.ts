/** Who has decided what, by name, as the policy is read over HTTP. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { type PolicyView, policyViewSchema } from "#contracts/policy/view";
import { startTestGateway, type TestGateway } from "../gateway/testing/test-gateway.ts";

let gateway: TestGateway;
let admin: { readonly id: string; readonly token: string };

beforeAll(async () => {
  gateway = await startTestGateway();
  const { identity, owner } = gateway;
  const { user, signInToken } = await identity.addUser(owner.user.organizationId, {
    ...{ name: "Ada", email: "ada@example.com", role: "admin" },
  });
  admin = { id: user.id, token: (await identity.signIn(signInToken)).accessToken };
});
afterAll(() => gateway.close());

const change = async (method: "POST" | "PUT", url: string, token: string, body: unknown) => {
  const answer = await gateway.send({ method, url, token, body });
  expect(answer.statusCode).toBe(202);
  return answer.json<{ ruleId: string }>();
};
const policy = async (): Promise<PolicyView> => {
  const { token } = gateway.member;
  const answer = await gateway.send({ method: "GET", url: "/v1/policy", token });
  return policyViewSchema.parse(answer.json());
};

it("names to everybody who has set a rule last", async () => {
  const { owner } = gateway;
  const rule = { integration: "demo", action: "publish_release", mode: "deny" };
  const { ruleId } = await change("POST", "/v1/policy/rules", owner.token, rule);
  const authors = async () => (await policy()).rules.map(({ by, byName }) => [by, byName]);
  expect(await authors()).toEqual([[owner.user.id, owner.user.name]]);
  const reworded = { ...rule, note: "For good" };
  await change("PUT", `/v1/policy/rules/${ruleId}`, admin.token, reworded);
  expect(await authors()).toEqual([[admin.id, "Ada"]]);
});

it("names who has set a mode last, for the organisation and for an automation", async () => {
  const { owner } = gateway;
  const action = "/v1/policy/actions/demo/publish_release";
  await change("PUT", action, owner.token, { mode: "deny" });
  await change("PUT", action, admin.token, { mode: "require_approval" });
  const automation = `/v1/policy/automations/${newId("trigger")}/actions/demo/list_releases`;
  await change("PUT", automation, owner.token, { mode: "deny" });
  const { modes, automationModes } = await policy();
  expect(modes).toMatchObject([{ mode: "require_approval", by: admin.id, byName: "Ada" }]);
  expect(automationModes).toMatchObject([{ mode: "deny", byName: owner.user.name }]);
  expect([...modes, ...automationModes].every(({ at }) => at !== null)).toBe(true);
});

it("names who has said last how far an integration reaches, and one action of it", async () => {
  const { owner } = gateway;
  const risks = "/v1/policy/risks/demo";
  await change("PUT", risks, owner.token, { risk: "danger" });
  await change("PUT", risks, admin.token, { action: "publish_release", risk: "write" });
  const authors = async () => (await policy()).risks.map(({ action, byName }) => [action, byName]);
  expect(await authors()).toEqual([
    [null, owner.user.name],
    ["publish_release", "Ada"],
  ]);
  expect((await policy()).risks.every(({ at }) => at !== null)).toBe(true);
  await change("PUT", risks, admin.token, { risk: "write" });
  expect(await authors()).toContainEqual([null, "Ada"]);
  await change("PUT", risks, owner.token, { risk: null });
  expect(await authors()).toEqual([["publish_release", "Ada"]]);
});
