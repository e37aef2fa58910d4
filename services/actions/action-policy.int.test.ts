import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  clearActionMode,
  getActionGuide,
  listAvailableActions,
  listOrganizationActions,
  listOrganizationInvocations,
  setActionMode,
} from "#contracts/http/actions";
import {
  clearAutomationMode,
  createRule,
  dryRunPolicy,
  getPolicy,
  setAutomationMode,
} from "#contracts/http/policy";
import { type InvocationId, newId } from "#contracts/ids";
import { readHistory } from "#event-store/audit/history";
import { newCommandMeta } from "#event-store/command-meta";
import { deleteSession } from "../sessions/commands.ts";
import {
  type ActionWorld,
  type Asked,
  patience,
  startActionWorld,
} from "./testing/action-world.ts";
import { callHandler } from "./testing/call-handler.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
});
afterAll(() => world.close());

describe("policy", () => {
  it("refuses what is dangerous, and keeps a record of it", async () => {
    const sessionId = await world.stack.createSession();
    const asked = { action: "delete_everything", idempotencyKey: "wipe" };
    const refused = world.invoke(sessionId, asked);
    await expect(refused).rejects.toMatchObject({ code: "action_denied" });
    const id = await refused.catch(
      (error: { fields: { invocationId: InvocationId } }) => error.fields.invocationId,
    );
    expect(await world.statusOf(id as InvocationId)).toBe("denied");
  });

  it("lets an action run unasked after it was approved for always", async () => {
    const sessionId = await world.stack.createSession();
    const version = world.nextVersion();
    const { id } = (await world.invoke(sessionId, { params: { version } })).body.invocation;
    await world.approve(sessionId, id, "always");
    await world.reaches(id, "completed");
    await vi.waitFor(async () => {
      const { body } = await callHandler(world.handlers, listAvailableActions, {
        params: { sessionId },
        principal: world.sandbox(sessionId),
      });
      const [demo] = body.integrations;
      expect(demo?.actions.find((action) => action.id === "publish_release")?.mode).toBe("allow");
    }, patience);
    const next = world.nextVersion();
    const reply = await world.invoke(sessionId, { params: { version: next } });
    expect(reply.status).toBe(200);
    expect(world.published(next)).toBe(1);
    await callHandler(world.handlers, setActionMode, {
      params: { integration: "demo", action: "publish_release" },
      principal: world.admin(),
      body: { mode: "require_approval" },
    });
    expect(
      (await world.invoke(sessionId, { params: { version: world.nextVersion() } })).status,
    ).toBe(202);
  });
});

it("takes modes back, and says whose doing it was", async () => {
  const admin = world.admin();
  const params = { integration: "demo", action: "delete_everything" };
  const inAutomation = { ...params, triggerId: newId("trigger") };
  const modeOf = async () =>
    (
      await callHandler(world.handlers, dryRunPolicy, {
        principal: admin,
        body: { ...params, sessionId: null, params: {} },
      })
    ).body;
  const allow = { principal: admin, body: { mode: "allow" as const } };
  await callHandler(world.handlers, setActionMode, { ...allow, params });
  await callHandler(world.handlers, setAutomationMode, { ...allow, params: inAutomation });
  expect(await modeOf()).toMatchObject({ mode: "allow", source: "organization" });

  // A second time it changes nothing, whoever asks.
  for (const principal of [admin, world.admin(admin.organizationId)]) {
    await callHandler(world.handlers, clearActionMode, { principal, params });
    await callHandler(world.handlers, clearAutomationMode, { principal, params: inAutomation });
  }
  expect(await modeOf()).toMatchObject({ mode: "deny", source: "inferred" });
  const { body } = await callHandler(world.handlers, getPolicy, { principal: admin });
  expect(body.modes).not.toContainEqual(expect.objectContaining(params));
  expect(body.automationModes).toEqual([]);
  const taken: unknown[] = [];
  const types = ["ActionModeCleared", "ActionReviewWithdrawn"];
  const { organizationId: organization } = admin;
  for await (const { commit } of readHistory(world.stack.store, { organization, types })) {
    taken.push([commit.meta.actor.id, commit.events.map(({ type }) => type)]);
  }
  expect(taken).toEqual([
    [admin.userId, ["ActionModeCleared"]],
    [admin.userId, ["AutomationModeSet", "ActionReviewWithdrawn"]],
  ]);
});

describe("what the organisation may do", () => {
  it("is told without a session, and leaves the rules of sessions out", async () => {
    const sessionId = await world.stack.createSession();
    const everywhere = { kind: "organization" } as const;
    const always = { conditions: [], expiresAt: null, budget: null, note: "" };
    for (const rule of [
      {
        action: "list_releases",
        mode: "deny" as const,
        scope: { kind: "session", sessionId } as const,
      },
      { action: "delete_everything", mode: "require_approval" as const, scope: everywhere },
    ]) {
      const body = { ...always, ...rule, integration: "demo" };
      await callHandler(world.handlers, createRule, { principal: world.admin(), body });
    }
    const { body } = await callHandler(world.handlers, listOrganizationActions, {
      principal: world.admin(),
    });
    const [demo] = body.integrations;
    const modes = demo?.actions.map(({ id, mode, modeSource }) => [id, mode, modeSource]);
    expect(modes).toContainEqual(["list_releases", "allow", "inferred"]);
    expect(modes).toContainEqual(["delete_everything", "require_approval", "rule"]);
  });
});

describe("bad input", () => {
  it.each([
    ["an unknown integration", { integration: "nope" }, "integration_not_found"],
    ["an unknown action", { action: "nope" }, "action_not_found"],
    ["parameters that are missing", {}, "action_params_invalid"],
    ["parameters that do not fit", { params: { version: "one" } }, "action_params_invalid"],
  ])("%s writes nothing", async (_name, asked, code) => {
    const sessionId = await world.stack.createSession();
    const before = await world.commits();
    await expect(world.invoke(sessionId, asked)).rejects.toMatchObject({ code });
    expect(await world.commits()).toBe(before);
  });

  it("a session that is unknown or deleted writes nothing", async () => {
    const sessionId = await world.stack.createSession();
    const meta = newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
    const { store, log, organization } = world.stack;
    await deleteSession(
      { store, log, defaultModel: "test" },
      { organization, session: sessionId },
      meta,
    );
    const before = await world.commits();
    await expect(world.invoke(sessionId, { action: "list_releases" })).rejects.toMatchObject({
      code: "session_stopped",
    });
    await expect(world.invoke(newId("session"), { action: "list_releases" })).rejects.toMatchObject(
      {
        code: "session_not_found",
      },
    );
    expect(await world.commits()).toBe(before);
  });
});

it("lets ten invocations of a session wait, however they arrive", async () => {
  const sessionId = await world.stack.createSession();
  const asked = (key: number): Asked => ({
    params: { version: world.nextVersion() },
    idempotencyKey: String(key),
  });
  const all = Array.from({ length: 12 }, (_, key) => asked(key));
  const results = await Promise.allSettled(all.map((each) => world.invoke(sessionId, each)));
  const refused = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason as unknown] : [],
  );
  expect(refused).toEqual([
    expect.objectContaining({ code: "too_many_pending_invocations" }),
    expect.objectContaining({ code: "too_many_pending_invocations" }),
  ]);
  const index = results.findIndex(({ status }) => status === "fulfilled");
  const known = all[index];
  if (!known) throw new Error("nothing was accepted");
  expect((await world.invoke(sessionId, known)).status).toBe(202);
  // Another session has ten of its own.
  expect((await world.invoke(await world.stack.createSession(), asked(0))).status).toBe(202);
});

it("lists what waits in the organisation, and writes a guide for the agent", async () => {
  const sessionId = await world.stack.createSession();
  const { id } = (await world.invoke(sessionId, { params: { version: world.nextVersion() } })).body
    .invocation;
  await vi.waitFor(async () => {
    const { body } = await callHandler(world.handlers, listOrganizationInvocations, {
      principal: world.admin(),
      query: { limit: 200, status: "pending" },
    });
    expect(body.invocations.map((invocation) => invocation.id)).toContain(id);
    expect(new Set(body.invocations.map(({ status }) => status))).toEqual(new Set(["pending"]));
  }, patience);
  const { body } = await callHandler(world.handlers, getActionGuide, {
    params: { sessionId, integration: "demo" },
    principal: world.sandbox(sessionId),
  });
  expect(body.guide).toContain("publish_release (write)");
});
