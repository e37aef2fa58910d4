import { describe, expect, it } from "vitest";
import { setActionMode } from "#contracts/http/actions";
import { changeConnector } from "#contracts/http/connectors";
import { getMe, signIn } from "#contracts/http/identity";
import { promptSession, listSessions } from "#contracts/http/sessions";
import { derivedId } from "#contracts/ids";
import { createClient } from "./client.ts";
import { reconnectDelay } from "./reconnect-delay.ts";

const sessionId = derivedId("session", "test");
const promptId = derivedId("prompt", "test");

/** A server that answers every request with this. */
const answering = (status: number, body: unknown) => {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    requests.push(new Request(url, init));
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return Promise.resolve(new Response(text, { status }));
  };
  return {
    requests,
    client: createClient({ baseUrl: "http://host/", accessToken: "secret", fetch }),
  };
};

describe("the client", () => {
  it("sends a route's parts to their places", async () => {
    const { client, requests } = answering(202, { promptId, position: "0:7" });
    const input = {
      params: { sessionId },
      headers: { "idempotency-key": "k" },
      body: { text: "Hi" },
    };
    expect(await client.call(promptSession, input)).toEqual({ promptId, position: "0:7" });
    const [request] = requests;
    expect(request?.url).toBe(`http://host/v1/sessions/${sessionId}/prompts`);
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
      authorization: "Bearer secret",
      "idempotency-key": "k",
      "content-type": "application/json",
    });
    expect(await request?.json()).toEqual({ text: "Hi" });
  });

  it("leaves out of the query what is undefined", async () => {
    const { client, requests } = answering(200, { sessions: [], next: null });
    await client.call(listSessions, { query: { after: "0:7", limit: 5, cursor: undefined } });
    expect(requests[0]?.url).toBe("http://host/v1/sessions?after=0%3A7&limit=5");
  });

  it("names tools and connectors in paths, whatever their names hold", async () => {
    const { client, requests } = answering(202, { position: "0:7" });
    await client.call(setActionMode, {
      params: { integration: "tracker", action: "issues/close:all" },
      body: { mode: "deny" },
    });
    expect(requests[0]?.url).toBe("http://host/v1/policy/actions/tracker/issues%2Fclose%3Aall");
    const body = { settings: { kind: "mcp", url: "https://tracker.example/mcp" } } as const;
    await client.call(changeConnector, { params: { connector: "tracker" }, body });
    expect(requests[1]?.url).toBe("http://host/v1/connectors/tracker");
    expect([requests[1]?.method, await requests[1]?.json()]).toEqual(["PATCH", body]);
  });

  it("throws the problem that the server states", async () => {
    const problem = {
      type: "urn:x",
      title: "forbidden",
      status: 403,
      detail: "Not you.",
      code: "forbidden",
      fields: { role: "member" },
    };
    await expect(answering(403, problem).client.call(listSessions)).rejects.toMatchObject({
      name: "ProblemError",
      message: "Not you.",
      code: "forbidden",
      status: 403,
      fields: { role: "member" },
    });
  });

  it("says so when an answer is not one of ours", async () => {
    const gatewayPage = answering(502, "<html>Bad gateway</html>").client;
    await expect(gatewayPage.call(listSessions)).rejects.toMatchObject({
      code: "reply_unexpected",
      status: 502,
    });
    const otherShape = answering(200, { sessions: "none" }).client;
    await expect(otherShape.call(listSessions)).rejects.toMatchObject({ code: "reply_unexpected" });
  });

  it("tells a server that is away from one that is slow and from a caller that gave up", async () => {
    const failing = (fetch: typeof globalThis.fetch) =>
      createClient({ baseUrl: "http://host", fetch, timeoutMs: 5 });
    const refused = failing(() => Promise.reject(new TypeError("fetch failed")));
    await expect(refused.call(listSessions)).rejects.toMatchObject({
      code: "unreachable",
      status: 0,
    });
    const slow = failing(
      (_, init) =>
        new Promise((_resolve, reject) =>
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error)),
        ),
    );
    await expect(slow.call(listSessions)).rejects.toMatchObject({ code: "timed_out" });
    const signal = AbortSignal.abort(new Error("the page was left"));
    const aborted = failing((_, init) => Promise.reject(init?.signal?.reason as Error));
    await expect(aborted.call(listSessions, { signal })).rejects.toThrow("the page was left");
  });
});

describe("a query after a command", () => {
  /** Answers commands with these positions. */
  const committing = (positions: readonly string[]) => {
    const left = [...positions];
    let time = 0;
    let after: string | null = null;
    const fetch: typeof globalThis.fetch = (url, init) => {
      after = new URL(url as string).searchParams.get("after");
      return Promise.resolve(
        init?.method === "POST"
          ? Response.json({ promptId, position: left.shift() }, { status: 202 })
          : Response.json({ sessions: [], next: null }),
      );
    };
    const client = createClient({ baseUrl: "http://host", fetch, now: () => time });
    return {
      prompt: () => client.call(promptSession, { params: { sessionId }, body: { text: "Hi" } }),
      /** The position that a query asks for. */
      asked: async (query: { readonly after?: string } = {}) => {
        await client.call(listSessions, { query });
        return after;
      },
      /** That of a query which knows nothing of positions. */
      askedOfOthers: async () => {
        await client.call(getMe).catch(() => undefined); // Its answer is of another shape.
        return after;
      },
      signInAnew: () => client.call(signIn, { body: { token: "another" } }).catch(() => undefined), // As above.
      advance: (ms: number) => (time += ms),
    };
  };

  it("asks for an answer that includes the newest command", async () => {
    const { prompt, asked } = committing(["0:7", "0:9"]);
    expect(await asked()).toBeNull();
    await prompt();
    expect(await asked()).toBe("0:7");
    await prompt();
    expect(await asked()).toBe("0:9");
    expect(await asked({ after: "0:3" })).toBe("0:3");
  });

  it("asks no more for a command of long ago", async () => {
    const { prompt, asked, advance } = committing(["0:7"]);
    await prompt();
    advance(10_001);
    expect(await asked()).toBeNull();
  });

  it("asks no more for a command of who was signed in before", async () => {
    const { prompt, asked, signInAnew } = committing(["0:7"]);
    await prompt();
    await signInAnew();
    expect(await asked()).toBeNull();
  });

  it("asks nothing of routes that know nothing of positions", async () => {
    const { prompt, askedOfOthers } = committing(["0:7"]);
    await prompt();
    expect(await askedOfOthers()).toBeNull();
  });
});

describe("the wait before a reconnection", () => {
  it("grows to its limit and never vanishes", () => {
    expect([1, 2, 3, 7, 100].map((attempt) => reconnectDelay(attempt, 1))).toEqual([
      250, 500, 1_000, 15_000, 15_000,
    ]);
    expect(reconnectDelay(1, 0)).toBe(125);
  });
});
