import { afterAll, beforeAll, expect, it } from "vitest";
import { listAudit } from "#contracts/http/operations";
import {
  clearAutoDeleteDefault,
  getAutoDeleteDefault,
  setAutoDeleteDefault,
} from "#contracts/http/organization";
import { maxAutoDeleteDays } from "#contracts/session/limits";
import { type Client, createClient } from "../client/client.ts";
import { startTestGateway, type TestGateway } from "../gateway/testing/test-gateway.ts";

let gateway: TestGateway;
let owner: Client;
let member: Client;
let stranger: Client;
beforeAll(async () => {
  gateway = await startTestGateway();
  const baseUrl = await gateway.app.listen({ host: "127.0.0.1", port: 0 });
  owner = createClient({ baseUrl, accessToken: gateway.owner.token });
  member = createClient({ baseUrl, accessToken: gateway.member.token });
  stranger = createClient({ baseUrl, accessToken: gateway.stranger.token });
});
afterAll(() => gateway.close());

it("admins say when the organisation's unused sessions go, everybody sees it, and the audit keeps it", async () => {
  const deployments = { days: 90, setBy: "deployment" };
  expect(await member.call(getAutoDeleteDefault)).toEqual(deployments);
  const set = (days: number | null) => owner.call(setAutoDeleteDefault, { body: { days } });

  await set(14);
  expect(await member.call(getAutoDeleteDefault)).toEqual({ days: 14, setBy: "organization" });
  const { position } = await set(null);
  expect((await set(null)).position).toBe(position);
  expect(await member.call(getAutoDeleteDefault)).toEqual({ days: null, setBy: "organization" });
  expect(await stranger.call(getAutoDeleteDefault)).toEqual(deployments);

  const { position: after } = await owner.call(clearAutoDeleteDefault);
  expect(await member.call(getAutoDeleteDefault)).toEqual(deployments);
  const query = { after, aggregateId: gateway.owner.user.organizationId };
  const { entries } = await owner.call(listAudit, { query });
  expect(entries.map(({ eventTypes }) => eventTypes)).toEqual([
    ["AutoDeleteDefaultCleared"],
    ["AutoDeleteDefaultSet"],
    ["AutoDeleteDefaultSet"],
  ]);
  expect(entries[0]?.actor).toMatchObject({ kind: "user", id: gateway.owner.user.id });
});

it("nobody else sets it, and nothing beyond its bounds", async () => {
  const set = (client: Client, days: number) =>
    client.call(setAutoDeleteDefault, { body: { days } });
  await expect(set(member, 14)).rejects.toMatchObject({ code: "forbidden" });
  await expect(member.call(clearAutoDeleteDefault)).rejects.toMatchObject({ code: "forbidden" });
  for (const days of [0, 1.5, maxAutoDeleteDays + 1]) {
    await expect(set(owner, days)).rejects.toMatchObject({ code: "request_invalid" });
  }
});
