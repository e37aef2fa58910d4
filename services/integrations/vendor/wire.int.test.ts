import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { json } from "../testing/local-server.ts";
import { startVendorWorld, type VendorWorld } from "../testing/vendor-call.ts";
import { sentry } from "../sentry/sentry.ts";

let world: VendorWorld;
beforeEach(async () => {
  world = await startVendorWorld();
});
afterEach(() => world.close());

const read = () => world.run(sentry, "get_issue", { issue_id: "1" });
const write = () => world.run(sentry, "update_issue", { issue_id: "1", status: "resolved" });

describe("what a vendor's refusal means", () => {
  it.each([
    [401, "integration_unauthorized", /administrator has to connect it again/],
    [403, "integration_forbidden", /Ask an administrator/],
    [404, "action_failed", /Check the ids/],
    [429, "integration_rate_limited", /Try again later/],
    [422, "action_failed", /Correct the parameters/],
  ])("%i is certain, for reads and writes", async (status, code, advice) => {
    world.server.answer((_, response) =>
      json(response, { detail: "Bearer abcdefghijkl said no" }, status),
    );
    for (const attempt of [read, write]) {
      const error: unknown = await attempt().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code });
      expect(String(error)).toMatch(advice);
      expect(String(error)).not.toContain("abcdefghijkl");
    }
    expect(world.server.asked).toHaveLength(2);
  });

  it("a broken vendor leaves a write's outcome unknown, and it is sent once", async () => {
    world.server.answer((_, response) => void response.writeHead(502).end());
    const error: unknown = await write().catch((thrown: unknown) => thrown);
    expect(error).not.toHaveProperty("code");
    expect(String(error)).toMatch(/may have taken effect/);
    expect(world.server.asked).toHaveLength(1);
  });

  it("so does a connection that breaks off, an answer that makes no sense and one without end", async () => {
    const endings = [
      () => world.server.answer((_, response) => response.destroy()),
      () => world.server.answer((_, response) => void response.writeHead(200).end("<html>")),
      () => world.server.answer((_, response) => void response.end(Buffer.alloc(6_000_000, " "))),
    ];
    for (const end of endings) {
      end();
      await expect(write()).rejects.toSatisfy(
        (error: unknown) => error instanceof Error && !("code" in error),
      );
    }
    expect(world.server.asked).toHaveLength(endings.length);
  });

  it("a vendor that was never reached has done nothing", async () => {
    await world.server.close();
    await expect(write()).rejects.toMatchObject({ code: "integration_unreachable" });
    world = await startVendorWorld();
  });
});

describe("what is asked again", () => {
  it("a read, while the vendor is down", async () => {
    world.server.answer((_, response) => {
      if (world.server.asked.length < 3) response.writeHead(503).end();
      else json(response, { id: "1" });
    });
    expect(await read()).toEqual({ id: "1" });
    expect(world.server.asked).toHaveLength(3);
  });

  it("a read, three times at most", async () => {
    world.server.answer((_, response) => void response.writeHead(500).end());
    await expect(read()).rejects.toMatchObject({ code: "integration_unreachable" });
    expect(world.server.asked).toHaveLength(3);
  });

  it("whatever was refused for its rate, when the vendor says how soon", async () => {
    world.server.answer((_, response) => {
      if (world.server.asked.length === 1) response.writeHead(429, { "retry-after": "0" }).end();
      else json(response, { id: "1" });
    });
    expect(await write()).toEqual({ id: "1" });
    expect(world.server.asked).toHaveLength(2);
  });

  it("but not after a longer wait than an agent's patience: it is told instead", async () => {
    world.server.answer(
      (_, response) => void response.writeHead(429, { "retry-after": "3600" }).end(),
    );
    await expect(read()).rejects.toMatchObject({
      code: "integration_rate_limited",
      fields: { retryAfterSeconds: 3600 },
    });
    expect(world.server.asked).toHaveLength(1);
  });
});
