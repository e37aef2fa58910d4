import { pino } from "pino";
import type { Sql } from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createTrigger, ingestWebhook, listRuns, listTriggers } from "#contracts/http/triggers";
import { type ConfigurationId, newId, type OrganizationId, type TriggerId } from "#contracts/ids";
import { lastSequence } from "#event-store/reading/commit-feed";
import type { Delivery } from "#event-store/workers/inbox";
import { readAll } from "#event-store/reading/read-all";
import type { RecordedCommit } from "#event-store/reading/recorded";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import type { Worker } from "#event-store/workers/worker";
import { createTestDatabase, type TestDatabase } from "#infra/testing/test-database";
import { openDatabase } from "#projections/database";
import { readModels } from "#projections/read-models";
import { type Projector, startProjector } from "#projections/runtime/projector";
import { getSession } from "#projections/sessions/queries";
import { organizationOfTrigger } from "#projections/triggers/queries";
import { callHandler } from "../actions/testing/call-handler.ts";
import { noSources } from "../actions/testing/no-sources.ts";
import { automationRoutes } from "../automations/routes.ts";
import { openSession, startRunOpener } from "../automations/run-opener.ts";
import { createTestConfiguration } from "../configurations/testing/test-configuration.ts";
import type { RouteHandler } from "../gateway/routes/handle-route.ts";
import type { Principal } from "../gateway/authentication/principal.ts";
import { openSecrets } from "../secrets/secrets.ts";
import { triggerRoutes } from "./routes.ts";
import { signWebhook } from "./signature.ts";
import { createSigningSecrets } from "./signing-secrets.ts";
import { handleDelivery, startTriggerWorker } from "./worker.ts";

const patience = { timeout: 30_000, interval: 20 };
const log = pino({ level: "silent" });
const organization: OrganizationId = newId("organization");
const admin: Extract<Principal, { kind: "user" }> = {
  kind: "user",
  userId: newId("user"),
  organizationId: organization,
  role: "admin",
};

let events: TestEventStore;
let database: TestDatabase;
let sql: Sql;
let projector: Projector;
let handlers: readonly RouteHandler[];
let trigger: { readonly triggerId: TriggerId; readonly signingSecret: string };
const workers: Worker[] = [];

beforeAll(async () => {
  events = await openTestEventStore();
  database = await createTestDatabase();
  sql = openDatabase({ url: database.url });
  const { store } = events;
  projector = await startProjector({
    store,
    openSql: () => openDatabase({ url: database.url, maxConnections: 1 }),
    projections: readModels,
    log,
  });
  const secrets = createSigningSecrets(await openSecrets(sql, new Uint8Array(32).fill(7)));
  handlers = [
    ...triggerRoutes({
      store,
      sql,
      secrets,
      organizationOf: (id) => organizationOfTrigger(sql, id),
      clock: () => new Date(),
    }),
    ...automationRoutes(sql),
  ];
  workers.push(await startTriggerWorker(store, { log }));
  workers.push(await startRunOpener({ store, registry: noSources, log, defaultModel: "test" }));
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await projector.stop();
  await sql.end();
  await database.drop();
  await events.close();
});

beforeEach(async () => {
  const { body } = await callHandler(handlers, createTrigger, {
    principal: admin,
    body: {
      name: "Tests failed",
      filter: { status: "failed" },
      prompt: "Repair {{body.job.name}}.",
      repository: { url: "https://example.org/repository.git", ref: "HEAD" },
    },
  });
  trigger = body;
  await vi.waitFor(async () => {
    const { body: listed } = await callHandler(handlers, listTriggers, {
      principal: admin,
      query: {},
    });
    expect(listed.triggers.map(({ id }) => id)).toContain(trigger.triggerId);
  }, patience);
});

const failed = Buffer.from(JSON.stringify({ status: "failed", job: { name: "unit tests" } }));

interface Hook {
  readonly body?: Buffer;
  readonly signature?: string | undefined;
  readonly deliveryId?: string | undefined;
  readonly triggerId?: TriggerId;
}
const post = (hook: Hook = {}) => {
  const body = hook.body ?? failed;
  const deliveryId = "deliveryId" in hook ? hook.deliveryId : "delivery-1";
  const signed = { deliveryId: deliveryId ?? "", body };
  return callHandler(handlers, ingestWebhook, {
    principal: null,
    params: { triggerId: hook.triggerId ?? trigger.triggerId },
    rawBody: body,
    headers: {
      "x-webhook-signature":
        "signature" in hook
          ? hook.signature
          : signWebhook(trigger.signingSecret, signed, new Date()),
      "x-webhook-delivery": deliveryId,
    },
  });
};

/** A delivery as the worker gets it from the inbox. */
const delivery = (deliveryId: string, body: Buffer<ArrayBuffer>): Delivery => ({
  organization,
  triggerId: trigger.triggerId,
  deliveryId,
  receivedAt: new Date().toISOString(),
  contentType: "application/json",
  body,
});

const runs = async () => {
  const { body } = await callHandler(handlers, listRuns, {
    principal: admin,
    query: { limit: 200 },
  });
  return body.runs.filter((run) => run.triggerId === trigger.triggerId);
};
const commits = async (): Promise<RecordedCommit[]> => {
  const all: RecordedCommit[] = [];
  for await (const recorded of readAll(events.store)) all.push(recorded);
  return all;
};
const inboxLength = async (): Promise<number> =>
  (await events.store.jsm.streams.info("INBOX")).state.messages;

const refused = { deliveryId: "refused", body: failed };

it("opens the sessions of its runs from the configuration and with the connections that it names", async () => {
  const shop = { url: "https://git.example.org/shop.git", ref: "main" };
  const { configurationId } = await createTestConfiguration(events.store, organization, {
    repositories: [{ ...shop, path: "shop" }],
  });
  const make = (named: ConfigurationId) =>
    callHandler(handlers, createTrigger, {
      principal: admin,
      body: {
        name: "Configured",
        filter: {},
        prompt: "Look.",
        repository: null,
        configurationId: named,
        connections: ["gone"],
      },
    });
  await expect(make(newId("configuration"))).rejects.toMatchObject({
    code: "configuration_not_found",
  });
  ({ body: trigger } = await make(configurationId));
  await handleDelivery(events.store, delivery("delivery-1", failed));
  await vi.waitFor(async () => {
    const [run] = await runs();
    expect(await getSession(sql, { organization, id: run?.sessionId ?? "" })).toMatchObject({
      configurationId,
      repository: shop,
      connections: [],
      excludedConnections: [{ connection: "gone", code: "integration_not_found" }],
    });
  }, patience);
  const { body: listed } = await callHandler(handlers, listTriggers, {
    principal: admin,
    query: {},
  });
  expect(listed.triggers).toContainEqual(
    expect.objectContaining({ id: trigger.triggerId, configurationId, connections: ["gone"] }),
  );
});

describe("a webhook", () => {
  it("starts one run with one session, however often it is delivered", async () => {
    expect((await post()).body).toEqual({ deliveryId: "delivery-1", duplicate: false });
    expect((await post()).body).toEqual({ deliveryId: "delivery-1", duplicate: true });
    await vi.waitFor(
      async () => expect(await runs()).toMatchObject([{ sessionId: expect.any(String) as string }]),
      patience,
    );
    const [run] = await runs();
    if (!run?.sessionId) throw new Error("no session");
    await vi.waitFor(
      async () =>
        expect(await getSession(sql, { organization, id: run.sessionId ?? "" })).toMatchObject({
          title: "Tests failed",
          origin: { kind: "automation", runId: run.id },
          repository: { url: "https://example.org/repository.git" },
          openPrompts: 1,
        }),
      patience,
    );

    // Long after the inbox has forgotten the delivery, and as if every step had died and begun anew.
    const before = await lastSequence(events.store, 0);
    await handleDelivery(events.store, delivery("delivery-1", failed));
    const matched = (await commits()).find(({ ref }) => ref.id === run.id);
    if (!matched) throw new Error("no commit of the run");
    const deps = { store: events.store, registry: noSources, log, defaultModel: "another" };
    await openSession(deps, matched);
    expect(await lastSequence(events.store, 0)).toBe(before);
    const queued = (await commits()).flatMap(({ commit, ref }) =>
      ref.id === run.sessionId ? commit.events.filter(({ type }) => type === "PromptQueued") : [],
    );
    expect(queued).toEqual([
      expect.objectContaining({
        data: expect.objectContaining({ text: "Repair unit tests." }) as unknown,
      }),
    ]);

    expect((await post({ deliveryId: "delivery-2" })).body.duplicate).toBe(false);
    await vi.waitFor(async () => expect(await runs()).toHaveLength(2), patience);
  });

  it("starts nothing when the filter does not match", async () => {
    await handleDelivery(events.store, delivery("passed", Buffer.from('{"status":"passed"}')));
    await handleDelivery(events.store, delivery("prose", Buffer.from("not JSON")));
    // Of this trigger: the session of another one's run may still be on its way.
    const begun = (await commits()).filter(
      ({ ref, commit }) =>
        ref.aggregate === "run" && JSON.stringify(commit.events).includes(trigger.triggerId),
    );
    expect(begun).toEqual([]);
  });

  it.each<[string, () => Hook, string]>([
    [
      "a wrong signature",
      () => ({ signature: signWebhook("00".repeat(32), refused, new Date()) }),
      "webhook_signature_invalid",
    ],
    ["no signature", () => ({ signature: undefined }), "webhook_signature_invalid"],
    [
      "a signature of ten minutes ago",
      () => ({
        signature: signWebhook(trigger.signingSecret, refused, new Date(Date.now() - 600_000)),
      }),
      "webhook_signature_invalid",
    ],
    ["no delivery id", () => ({ deliveryId: undefined }), "webhook_delivery_id_missing"],
    ["a delivery id with a space", () => ({ deliveryId: "a b" }), "webhook_delivery_id_missing"],
    ["an unknown trigger", () => ({ triggerId: newId("trigger") }), "trigger_not_found"],
  ])("with %s is refused and not stored", async (_name, hook, code) => {
    const before = await inboxLength();
    await expect(post({ deliveryId: "refused", ...hook() })).rejects.toMatchObject({ code });
    expect(await inboxLength()).toBe(before);
  });
});

it("keeps the signing secret out of the log", async () => {
  expect(trigger.signingSecret).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(await commits())).not.toContain(trigger.signingSecret);
});
