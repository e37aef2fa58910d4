import { afterAll, beforeAll, expect, it } from "vitest";
import { changePrompt, listPrompts, withdrawPrompt } from "#contracts/http/prompts";
import { createSession, getSession, promptSession, renameSession } from "#contracts/http/sessions";
import { maxOpenPrompts } from "#contracts/session/limits";
import { type Client, createClient } from "../client/client.ts";
import { startTestGateway, type TestGateway } from "../gateway/testing/test-gateway.ts";

let gateway: TestGateway;
let owner: Client;
let stranger: Client;
beforeAll(async () => {
  gateway = await startTestGateway();
  const baseUrl = await gateway.app.listen({ host: "127.0.0.1", port: 0 });
  owner = createClient({ baseUrl, accessToken: gateway.owner.token });
  stranger = createClient({ baseUrl, accessToken: gateway.stranger.token });
});
afterAll(() => gateway.close());

it("prompts that wait are listed, worded anew and taken back by those who own them", async () => {
  const { sessionId } = await owner.call(createSession, { body: { title: "Queue" } });
  const params = { sessionId };
  const ask = (text: string) => owner.call(promptSession, { params, body: { text } });
  const first = await ask("first");
  const second = await ask("second");
  const own = { sessionId, promptId: first.promptId };

  await expect(stranger.call(listPrompts, { params })).rejects.toMatchObject({
    code: "session_not_found",
  });
  await expect(
    stranger.call(changePrompt, { params: own, body: { text: "mine" } }),
  ).rejects.toMatchObject({ code: "session_not_found" });

  await owner.call(changePrompt, { params: own, body: { text: "better" } });
  await owner.call(withdrawPrompt, { params: { sessionId, promptId: second.promptId } });
  const { id: by, name } = gateway.owner.user;
  const asked = { by, author: { kind: "user", userId: by, name } };
  expect(await owner.call(listPrompts, { params })).toEqual({
    prompts: [
      { promptId: first.promptId, text: "better", ...asked, status: "queued" },
      {
        promptId: second.promptId,
        text: "second",
        ...asked,
        status: "cancelling",
      },
    ],
  });
});

it("a full queue says so, and what was asked before is still the same request", async () => {
  const { sessionId } = await owner.call(createSession, { body: { title: "Full" } });
  const ask = (n: number) =>
    owner.call(promptSession, {
      params: { sessionId },
      headers: { "idempotency-key": `key-${n}` },
      body: { text: `prompt ${n}` },
    });
  for (let n = 0; n < maxOpenPrompts; n += 1) await ask(n);
  await expect(ask(maxOpenPrompts)).rejects.toMatchObject({
    code: "prompt_queue_full",
    status: 429,
  });
  expect(await ask(0)).toHaveProperty("promptId");
});

it("a session has the title that it was given last", async () => {
  const { sessionId } = await owner.call(createSession, { body: { title: "Before" } });
  const params = { sessionId };
  const { position } = await owner.call(renameSession, { params, body: { title: "After" } });
  const session = await owner.call(getSession, { params, query: { after: position } });
  expect(session.title).toBe("After");
});
