import { describe, expect, it } from "vitest";
import { getMe } from "#contracts/http/identity";
import { cancelSession, getSession } from "#contracts/http/sessions";
import { newId } from "#contracts/ids";
import { createClient } from "#services/client/client";
import { createApi } from "./api.ts";

const params = { sessionId: newId("session") };

/** The real client over a fetch that answers commands with these positions, and refuses all queries. */
const apiOver = (positions: readonly string[]) => {
  const left = [...positions];
  const urls: string[] = [];
  let now = 0;
  let signedOut = 0;
  const fetch = (url: string | URL | Request, init?: RequestInit) => {
    urls.push(url as string);
    return Promise.resolve(
      init?.method === "POST"
        ? Response.json({ position: left.shift() }, { status: 202 })
        : Response.json(
            { type: "t", title: "t", status: 401, detail: "Sign in.", code: "token_expired" },
            { status: 401 },
          ),
    );
  };
  const api = createApi(createClient({ baseUrl: "http://gateway", fetch }), {
    onSignedOut: () => (signedOut += 1),
    now: () => now,
  });
  return {
    api,
    /** The position that the next query of a session asks for. */
    askedPosition: async () => {
      await expect(api.call(getSession, { params })).rejects.toMatchObject({
        code: "token_expired",
      });
      return new URL(urls.at(-1) ?? "").searchParams.get("after");
    },
    lastUrl: () => urls.at(-1),
    advance: (ms: number) => (now += ms),
    signedOut: () => signedOut,
  };
};

describe("a query after a command", () => {
  it("asks for an answer that includes the newest command", async () => {
    const { api, askedPosition } = apiOver(["0:7", "0:9"]);
    expect(await askedPosition()).toBeNull();
    await api.call(cancelSession, { params });
    expect(await askedPosition()).toBe("0:7");
    await api.call(cancelSession, { params });
    expect(await askedPosition()).toBe("0:9");
  });

  it("asks no more for a command of long ago", async () => {
    const { api, askedPosition, advance } = apiOver(["0:7"]);
    await api.call(cancelSession, { params });
    advance(10_001);
    expect(await askedPosition()).toBeNull();
  });

  it("leaves routes alone that know nothing of positions", async () => {
    const { api, lastUrl } = apiOver(["0:7"]);
    await api.call(cancelSession, { params });
    await expect(api.call(getMe)).rejects.toThrow();
    expect(lastUrl()).toBe("http://gateway/v1/me");
  });
});

it("tells the application when a request is refused because nobody is signed in", async () => {
  const { api, askedPosition, signedOut } = apiOver(["0:7"]);
  await api.call(cancelSession, { params });
  expect(signedOut()).toBe(0);
  await askedPosition();
  expect(signedOut()).toBe(1);
});
