/** Whether vendors take a token, asked of local servers as each vendor's reference has it. */
import { afterEach, describe, expect, it } from "vitest";
import { json } from "../testing/local-server.ts";
import { startVendorWorld, type VendorWorld } from "../testing/vendor-call.ts";
import { vendorOf, vendors } from "../vendors.ts";

let world: VendorWorld;
afterEach(() => world.close());

const viewer = { data: { viewer: { id: "1", name: "Ada", email: "ada@example.com" } } };

describe("a token is proven by one cheap read", () => {
  it.each([
    ["github", "a-token", "GET", "/user", { login: "ada" }],
    ["github", "ghs_a-token", "GET", "/installation/repositories?per_page=1", { total_count: 0 }],
    ["linear", "a-token", "POST", "/graphql", viewer],
    ["posthog", "a-token", "GET", "/api/projects/?limit=1", { results: [] }],
    ["sentry", "a-token", "GET", "/organizations/?per_page=1", []],
    ["slack", "a-token", "POST", "/auth.test", { ok: true }],
  ] as const)("of %s with %s: %s %s", async (id, token, method, path, answer) => {
    world = await startVendorWorld(token);
    world.server.answer((_, response) => json(response, answer));
    await world.prove(vendorOf(id));
    expect(world.server.asked).toEqual([expect.objectContaining({ method, path })]);
    expect(world.server.asked[0]?.headers.authorization).toMatch(new RegExp(` ${token}$`));
  });
});

it.each(vendors)("a token that $name does not know is refused", async (vendor) => {
  world = await startVendorWorld();
  world.server.answer((_, response) => json(response, { message: "Bad credentials" }, 401));
  await expect(world.prove(vendor)).rejects.toMatchObject({ code: "integration_unauthorized" });
  expect(world.server.asked).toHaveLength(1);
});

it("so is one that is refused within an answer of status 200", async () => {
  world = await startVendorWorld();
  world.server.answer((_, response) => json(response, { ok: false, error: "invalid_auth" }));
  await expect(world.prove(vendorOf("slack"))).rejects.toMatchObject({
    code: "integration_unauthorized",
  });
});

it("one that is known and may not do just this is good, where rights are given one by one", async () => {
  world = await startVendorWorld();
  world.server.answer((_, response) => json(response, { detail: "scope" }, 403));
  await world.prove(vendorOf("sentry"));
  await world.prove(vendorOf("posthog"));
  await expect(world.prove(vendorOf("github"))).rejects.toMatchObject({
    code: "integration_forbidden",
  });
});

it.each(vendors)("nobody waits for $name without end", async (vendor) => {
  world = await startVendorWorld();
  world.server.answer(() => undefined);
  await expect(world.prove(vendor, 100)).rejects.toMatchObject({ code: "integration_timed_out" });
});

it.each(vendors)("what is not $name is told apart from a refusal", async (vendor) => {
  world = await startVendorWorld();
  world.server.answer((_, response) => void response.writeHead(200).end("<html>"));
  await expect(world.prove(vendor)).rejects.toMatchObject({ code: "integration_unreachable" });
});
