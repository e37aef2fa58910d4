import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { approveInvocation, denyInvocation, getInvocation } from "#contracts/http/actions";
import { newId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import { openLiveFeed } from "#event-store/live/live-channel";
import { type ActionWorld, patience, startActionWorld } from "./testing/action-world.ts";
import { callHandler } from "./testing/call-handler.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
});
afterAll(() => world.close());

describe("an action that only reads", () => {
  it("runs at once and answers its result", async () => {
    const sessionId = await world.stack.createSession();
    const reply = await world.invoke(sessionId, { action: "list_releases" });
    expect(reply.status).toBe(200);
    expect(reply.body.invocation.status).toBe("completed");
    expect(reply.body.result).toEqual({ releases: expect.any(Array) as unknown });
  });
});

describe("an action that needs approval", () => {
  it("waits, is announced, runs exactly once when approved, and can be read back", async () => {
    const sessionId = await world.stack.createSession();
    const version = world.nextVersion();
    const reply = await world.invoke(sessionId, { params: { version } });
    const { id } = reply.body.invocation;
    expect(reply).toMatchObject({ status: 202, body: { invocation: { status: "pending" } } });
    expect(world.published(version)).toBe(0);

    await world.approve(sessionId, id);
    await world.reaches(id, "completed");
    expect(world.published(version)).toBe(1);

    await vi.waitFor(async () => {
      const { body } = await callHandler(world.handlers, getInvocation, {
        params: { sessionId, invocationId: id },
        principal: world.sandbox(sessionId),
      });
      expect(body).toMatchObject({
        status: "completed",
        result: { version },
        params: { version },
        risk: "write",
      });
    }, patience);

    const watching = new AbortController();
    const messages: LiveMessage[] = [];
    const feed = openLiveFeed(world.stack.store, {
      organization: world.stack.organization,
      session: sessionId,
      signal: watching.signal,
    });
    // Commits are announced in no promised order.
    const wanted = ["pending", "approved", "executing", "completed"];
    for await (const { message } of feed) {
      messages.push(message);
      if (new Set(messages.map((each) => JSON.stringify(each))).size === wanted.length) break;
    }
    watching.abort();
    expect(messages).toContainEqual(
      expect.objectContaining({
        type: "action_approval_request",
        invocationId: id,
        params: { version },
      }),
    );
    for (const status of wanted.slice(1)) {
      expect(messages).toContainEqual({ type: "action_updated", invocationId: id, status });
    }
  });

  it("can be approved once", async () => {
    const sessionId = await world.stack.createSession();
    const version = world.nextVersion();
    const { id } = (await world.invoke(sessionId, { params: { version } })).body.invocation;
    const results = await Promise.allSettled([
      world.approve(sessionId, id),
      world.approve(sessionId, id),
    ]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(world.approve(sessionId, id)).rejects.toMatchObject({
      code: "invocation_already_resolved",
    });
    await world.reaches(id, "completed");
    expect(world.published(version)).toBe(1);
  });

  it("runs once for 200 approvals at the same time", async () => {
    const sessionId = await world.stack.createSession();
    const version = world.nextVersion();
    const { id } = (await world.invoke(sessionId, { params: { version } })).body.invocation;
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, () => world.approve(sessionId, id)),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await world.reaches(id, "completed");
    expect(world.published(version)).toBe(1);
  });

  it("runs with what its approver has made of it, which is checked and recorded", async () => {
    const sessionId = await world.stack.createSession();
    const [asked, edited] = [world.nextVersion(), world.nextVersion()];
    const { id } = (await world.invoke(sessionId, { params: { version: asked } })).body.invocation;
    const approveWith = (params: Record<string, unknown>) =>
      callHandler(world.handlers, approveInvocation, {
        params: { sessionId, invocationId: id },
        principal: world.admin(),
        body: { scope: "once", params },
      });
    await expect(approveWith({ version: 1 })).rejects.toMatchObject({
      code: "action_params_invalid",
    });
    await approveWith({ version: edited });
    await world.reaches(id, "completed");
    expect([world.published(asked), world.published(edited)]).toEqual([0, 1]);
    await vi.waitFor(async () => {
      const { body } = await callHandler(world.handlers, getInvocation, {
        params: { sessionId, invocationId: id },
        principal: world.admin(),
      });
      expect(body).toMatchObject({
        status: "completed",
        params: { version: asked },
        editedParams: { version: edited },
      });
    }, patience);
  });

  it("does not run when denied", async () => {
    const sessionId = await world.stack.createSession();
    const version = world.nextVersion();
    const { id } = (await world.invoke(sessionId, { params: { version }, idempotencyKey: "k" }))
      .body.invocation;
    await callHandler(world.handlers, denyInvocation, {
      params: { sessionId, invocationId: id },
      principal: world.admin(),
      body: { reason: "not today" },
    });
    await expect(world.approve(sessionId, id)).rejects.toMatchObject({
      code: "invocation_already_resolved",
    });
    await expect(
      world.invoke(sessionId, { params: { version }, idempotencyKey: "k" }),
    ).rejects.toMatchObject({
      code: "action_denied",
      message: expect.stringContaining("not today") as unknown,
      fields: { invocationId: id },
    });
    expect(world.published(version)).toBe(0);
  });

  it("is the same invocation under the same key, and refuses another request under it", async () => {
    const sessionId = await world.stack.createSession();
    const asked = { params: { version: world.nextVersion() }, idempotencyKey: "again" };
    const [first, second] = await Promise.all([
      world.invoke(sessionId, asked),
      world.invoke(sessionId, asked),
    ]);
    expect(second.body.invocation.id).toBe(first.body.invocation.id);
    await expect(
      world.invoke(sessionId, { ...asked, params: { version: world.nextVersion() } }),
    ).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
    const other = await world.invoke(await world.stack.createSession(), asked);
    expect(other.body.invocation.id).not.toBe(first.body.invocation.id);
  });

  it("belongs to its session and its organisation", async () => {
    const sessionId = await world.stack.createSession();
    const { id } = (await world.invoke(sessionId, { params: { version: world.nextVersion() } }))
      .body.invocation;
    const elsewhere = await world.stack.createSession();
    await expect(world.approve(elsewhere, id)).rejects.toMatchObject({
      code: "invocation_not_found",
    });
    await expect(
      world.approve(sessionId, id, "once", world.admin(newId("organization"))),
    ).rejects.toMatchObject({
      code: "invocation_not_found",
    });
    expect(await world.statusOf(id)).toBe("pending");
  });

  it("fails with the reason of the integration", async () => {
    const sessionId = await world.stack.createSession();
    const version = world.nextVersion();
    const asked = { params: { version }, idempotencyKey: "first" };
    const { id } = (await world.invoke(sessionId, asked)).body.invocation;
    await world.approve(sessionId, id);
    await world.reaches(id, "completed");
    const repeated = { params: { version }, idempotencyKey: "second" };
    const second = (await world.invoke(sessionId, repeated)).body.invocation;
    await world.approve(sessionId, second.id);
    await world.reaches(second.id, "failed");
    await expect(world.invoke(sessionId, repeated)).rejects.toMatchObject({
      code: "action_failed",
      message: `${version} is published already.`,
      fields: { invocationId: second.id, status: "failed" },
    });
  });
});

describe("expiry", () => {
  it("refuses a late approval and records the expiry", async () => {
    const sessionId = await world.stack.createSession();
    const version = world.nextVersion();
    const { id } = (await world.invoke(sessionId, { params: { version } })).body.invocation;
    world.stack.moveClock(5 * 60_000);
    try {
      await expect(world.approve(sessionId, id)).rejects.toMatchObject({
        code: "invocation_expired",
      });
    } finally {
      world.stack.moveClock(-5 * 60_000);
    }
    expect(await world.statusOf(id)).toBe("expired");
    await expect(world.approve(sessionId, id)).rejects.toMatchObject({
      code: "invocation_expired",
    });
    expect(world.published(version)).toBe(0);
  });

  it("comes by itself, by a timer", async () => {
    const sessionId = await world.stack.createSession();
    // Asked almost five minutes ago: a moment is left.
    world.stack.moveClock(-(5 * 60_000 - 500));
    const asked = world.invoke(sessionId, { params: { version: world.nextVersion() } });
    const { id } = await asked
      .then((reply) => reply.body.invocation)
      .finally(() => world.stack.moveClock(5 * 60_000 - 500));
    await world.reaches(id, "expired");
  });

  it("gives an automation's session a day", async () => {
    const sessionId = await world.stack.createSession({ kind: "automation", runId: newId("run") });
    const { id } = (await world.invoke(sessionId, { params: { version: world.nextVersion() } }))
      .body.invocation;
    world.stack.moveClock(23 * 3_600_000);
    try {
      await world.approve(sessionId, id);
    } finally {
      world.stack.moveClock(-23 * 3_600_000);
    }
    await world.reaches(id, "completed");
  });
});
