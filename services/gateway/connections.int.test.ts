/** Pages of other origins, and connections on which nothing is asked, against a server that listens. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { allowedOrigins } from "./browsers/allowed-origins.ts";
import { startTestGateway, type TestGateway } from "./testing/test-gateway.ts";

const friend = "https://app.example.com";
const other = "https://evil.example.com";

let gateway: TestGateway;
let url: string;
beforeEach(async () => {
  gateway = await startTestGateway({
    origins: allowedOrigins([friend], "https://own.example.com"),
  });
  url = await gateway.app.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(() => gateway.close());

it("closes although somebody has connected and asks for nothing", async () => {
  const silent = connect(Number(new URL(url).port), "127.0.0.1");
  const ended = once(silent, "close");
  // A reset is how it is told.
  silent.on("error", () => undefined);
  await once(silent, "connect");
  // Answered, so the connection before it has been accepted.
  expect((await fetch(`${url}/v1/me`)).status).toBe(401);
  await gateway.close();
  await ended;
});

describe("pages of other origins", () => {
  const ask = (origin: string, init: RequestInit = {}) =>
    fetch(`${url}/v1/me`, {
      ...init,
      headers: { authorization: `Bearer ${gateway.owner.token}`, ...init.headers, origin },
    });
  const preflight = (origin: string) =>
    ask(origin, {
      method: "OPTIONS",
      headers: {
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization",
      },
    });

  it("read answers if they are allowed, and never with our cookie", async () => {
    const asked = await preflight(friend);
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-headers")).toContain("authorization");
    const answer = await ask(friend);
    expect(answer.status).toBe(200);
    for (const { headers } of [asked, answer]) {
      expect(headers.get("access-control-allow-origin")).toBe(friend);
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(headers.get("vary")).toBe("origin");
    }
    // Also a refusal is for them to read.
    const refused = await ask(friend, { headers: { authorization: "Bearer nonsense" } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe(friend);
  });

  it("are told nothing unless they are allowed", async () => {
    for (const answer of [await preflight(other), await ask(other)]) {
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      expect(answer.headers.get("vary")).toBe("origin");
    }
  });

  it("watch live if they are allowed or our own, once it is said which those are", () => {
    const { mayWatch } = allowedOrigins([friend], "https://own.example.com/app");
    expect([friend, "https://own.example.com", null, other].map(mayWatch)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(allowedOrigins([], null).mayWatch(other)).toBe(true);
  });
});
