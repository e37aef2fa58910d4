import { afterAll, beforeAll, expect, it } from "vitest";
import {
  connectIntegration,
  disconnectIntegration,
  listIntegrations,
} from "#contracts/http/integrations";
import { newId } from "#contracts/ids";
import type { VendorId } from "#contracts/integration/events";
import type { EventStore } from "#event-store/event-store";
import { openTestEventStore } from "#event-store/testing/test-event-store";
import { createTestDatabase } from "#infra/testing/test-database";
import { openDatabase } from "#projections/database";
import { callHandler } from "../../actions/testing/call-handler.ts";
import type { ActionRegistry } from "../../actions/registry.ts";
import { requireSource } from "../../actions/registry.ts";
import type { RouteHandler } from "../../gateway/handle-route.ts";
import { runningStack } from "../../running.ts";
import { openSecrets } from "../../secrets/secrets.ts";
import { createOutbound } from "../outbound/outbound.ts";
import { json, type LocalServer, startLocalServer } from "../testing/local-server.ts";
import { contextOf } from "../testing/vendor-call.ts";
import { withConnectedVendors } from "./registry.ts";
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
  handlers = integrationRoutes({ store, secrets });
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

it("gives the organisation that connects a vendor its actions, and no other one", async () => {
  const [admin, other] = [newAdmin(), newAdmin()];
  await connectAs(admin, "sentry", "first-token");
  expect(await registry.sourcesOf(other.organizationId)).toEqual([]);
  const source = await requireSource(registry, admin.organizationId, "sentry");
  server.answer((_, response) => json(response, { id: "1" }));
  const read = () => source.execute("get_issue", { issue_id: "1" }, contextOf());
  expect(await read()).toEqual({ id: "1" });
  expect(server.asked.at(-1)?.headers.authorization).toBe("Bearer first-token");

  // New credentials count at once, for sources that are in use too.
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
