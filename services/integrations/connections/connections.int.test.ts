import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  connectIntegration,
  disconnectIntegration,
  listIntegrations,
  testIntegration,
} from "#contracts/http/integrations";
import { newId } from "#contracts/ids";
import type { VendorId } from "#contracts/integration/events";
import type { EventStore } from "#event-store/event-store";
import { openTestEventStore } from "#event-store/testing/test-event-store";
import { createTestDatabase } from "#infra/testing/test-database";
import { openDatabase } from "#projections/database";
import { callHandler } from "../../actions/testing/call-handler.ts";
import type { ActionRegistry } from "../../actions/sources/registry.ts";
import { requireSource } from "../../actions/sources/registry.ts";
import type { RouteHandler } from "../../gateway/routes/handle-route.ts";
import { runningStack } from "../../running.ts";
import { openSecrets } from "../../secrets/secrets.ts";
import { createOutbound } from "../outbound/outbound.ts";
import { json, type LocalServer, startLocalServer } from "../testing/local-server.ts";
import { contextOf } from "../testing/vendor-call.ts";
import { withConnectedVendors } from "./registry.ts";
import { validateConnections } from "../../sessions/connections/validate-connections.ts";
import { integrationRoutes } from "./routes.ts";

const opened = runningStack();
let store: EventStore;
let server: LocalServer;
let handlers: readonly RouteHandler[];
let registry: ActionRegistry;

beforeAll(async () => {
  const log = await openTestEventStore();
  opened.add({ stop: log.close });
  store = log.store;
  const database = await createTestDatabase();
  opened.add({ stop: () => database.drop() });
  const sql = openDatabase({ url: database.url });
  opened.add({ stop: () => sql.end() });
  server = await startLocalServer();
  opened.add({ stop: () => server.close() });
  const outbound = createOutbound({ allowedNetworks: ["127.0.0.1/32"] });
  opened.add({ stop: () => outbound.close() });
  const secrets = await openSecrets(sql, new Uint8Array(32).fill(7));
  handlers = integrationRoutes({ store, secrets, outbound });
  const none: ActionRegistry = { sourcesOf: () => Promise.resolve([]) };
  registry = withConnectedVendors(none, { store, secrets, outbound });
});
afterAll(() => opened.stop());

const newAdmin = () =>
  ({
    kind: "user",
    userId: newId("user"),
    organizationId: newId("organization"),
    role: "admin",
  }) as const;

const connectAs = (
  principal: ReturnType<typeof newAdmin>,
  vendor: VendorId,
  token: string,
  baseUrl = server.url,
) =>
  callHandler(handlers, connectIntegration, {
    principal,
    params: { vendor },
    body: { token, baseUrl },
  });

/** Takes one token, and none after that was taken back. */
const answerFor = (token: string | null): void =>
  server.answer(({ headers, path }, response) =>
    json(
      response,
      path.startsWith("/user") ? { login: "ada" } : [],
      headers.authorization?.split(" ")[1] === token ? 200 : 401,
    ),
  );

it("gives the organisation that connects a vendor its actions, and no other one", async () => {
  const [admin, other] = [newAdmin(), newAdmin()];
  answerFor("first-token");
  await connectAs(admin, "sentry", "first-token");
  expect(await registry.sourcesOf(other.organizationId)).toEqual([]);
  const source = await requireSource(registry, admin.organizationId, "sentry");
  server.answer((_, response) => json(response, { id: "1" }));
  const read = () => source.execute("get_issue", { issue_id: "1" }, contextOf());
  expect(await read()).toEqual({ id: "1" });
  expect(server.asked.at(-1)?.headers.authorization).toBe("Bearer first-token");

  // New credentials count at once, for sources that are in use too.
  answerFor("second-token");
  await connectAs(admin, "sentry", "second-token");
  await read();
  expect(server.asked.at(-1)?.headers.authorization).toBe("Bearer second-token");

  const { body } = await callHandler(handlers, listIntegrations, { principal: admin });
  expect(body.integrations).toContainEqual({
    vendor: "sentry",
    name: "Sentry",
    connected: true,
    baseUrl: server.url,
  });
  expect(JSON.stringify(body)).not.toContain("token");
});

it("takes the actions and the credentials away when a vendor is disconnected", async () => {
  const admin = newAdmin();
  answerFor("a-token");
  await connectAs(admin, "github", "a-token");
  const source = await requireSource(registry, admin.organizationId, "github");
  const request = { principal: admin, params: { vendor: "github" as const } };
  await callHandler(handlers, disconnectIntegration, request);
  await callHandler(handlers, disconnectIntegration, request);
  expect(await registry.sourcesOf(admin.organizationId)).toEqual([]);
  const before = server.asked.length;
  await expect(
    source.execute("list_issues", { owner: "acme", repo: "web" }, contextOf()),
  ).rejects.toMatchObject({ code: "integration_unauthorized" });
  expect(server.asked).toHaveLength(before);
});

const test = async (principal: ReturnType<typeof newAdmin>) =>
  (
    await callHandler(handlers, testIntegration, {
      principal,
      params: { vendor: "sentry" as const },
    })
  ).body.problem;

it("takes a token that the vendor takes, and no other one in its place", async () => {
  const admin = newAdmin();
  answerFor("good-token");
  const unauthorized = { code: "integration_unauthorized" };
  await expect(connectAs(admin, "sentry", "bad-token")).rejects.toMatchObject(unauthorized);
  expect(await registry.sourcesOf(admin.organizationId)).toEqual([]);
  expect(await test(admin)).toMatchObject(unauthorized);

  await connectAs(admin, "sentry", "good-token");
  await expect(connectAs(admin, "sentry", "bad-token")).rejects.toMatchObject(unauthorized);
  expect(await test(admin)).toBeNull();
  answerFor(null);
  const problem = await test(admin);
  expect(problem).toMatchObject(unauthorized);
  expect(JSON.stringify(problem)).not.toContain("good-token");
});

it("leaves a vendor that refuses the token out of sessions, and does not ask it for each of them", async () => {
  const admin = newAdmin();
  answerFor("good-token");
  await connectAs(admin, "sentry", "good-token");
  const log = pino({ level: "silent" });
  const validate = () => validateConnections({ registry, log }, admin.organizationId, ["sentry"]);
  const before = server.asked.length;
  for (let session = 0; session < 3; session += 1) {
    expect(await validate()).toEqual({ usable: ["sentry"], excluded: [] });
  }
  expect(server.asked.length).toBe(before + 1);

  // Other credentials are asked about at once.
  answerFor("other-token");
  await connectAs(admin, "sentry", "other-token");
  answerFor(null);
  expect(await validate()).toMatchObject({
    usable: [],
    excluded: [{ connection: "sentry", code: "integration_unauthorized" }],
  });
});
