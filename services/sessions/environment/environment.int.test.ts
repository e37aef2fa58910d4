import { afterAll, beforeAll, expect, it } from "vitest";
import { getEnvironment, provideEnvVariables } from "#contracts/http/environment";
import { createSession, deleteSession } from "#contracts/http/sessions";
import { maxEnvVariables } from "#contracts/session/limits";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import { type Client, createClient } from "../../client/client.ts";
import { startTestGateway, type TestGateway } from "../../gateway/testing/test-gateway.ts";
import { sessionAggregate } from "../aggregate/decider.ts";

let gateway: TestGateway;
let baseUrl: string;
let owner: Client;
let stranger: Client;
beforeAll(async () => {
  gateway = await startTestGateway();
  baseUrl = await gateway.app.listen({ host: "127.0.0.1", port: 0 });
  owner = createClient({ baseUrl, accessToken: gateway.owner.token });
  stranger = createClient({ baseUrl, accessToken: gateway.stranger.token });
});
afterAll(() => gateway.close());

const open = async () => {
  const { sessionId } = await owner.call(createSession, { body: { title: "In need" } });
  const ask = (requestId: string, keys: Readonly<Record<string, boolean>>) =>
    execute(
      gateway.store,
      sessionAggregate,
      { organization: gateway.owner.user.organizationId, id: sessionId },
      {
        type: "RequestEnvVariables",
        requestId,
        keys: Object.entries(keys).map(([key, required]) => ({
          key,
          required,
          type: "secret" as const,
        })),
      },
      newCommandMeta({ actor: { kind: "sandbox", id: sessionId, via: "http" } }),
    );
  const params = { sessionId };
  const give = (values: Record<string, string>) =>
    owner.call(provideEnvVariables, { params, body: { values } });
  const read = () => owner.call(getEnvironment, { params });
  return { params, ask, give, read };
};

it("a request is open until all that it needs was given, and no answer has a value", async () => {
  const { ask, give, read } = await open();
  await ask("first", { DATABASE_URL: true, TOKEN: true, DEBUG: false });
  await ask("second", { DEBUG: false });
  await give({ TOKEN: "t0p-s3cret" });
  expect(await read()).toMatchObject({
    names: ["TOKEN"],
    requests: [{ requestId: "first" }, { requestId: "second" }],
  });
  await give({ DATABASE_URL: "postgres://db" });
  expect(await read()).toMatchObject({ requests: [{ requestId: "second" }] });
  await give({ DEBUG: "1", TOKEN: "another" });
  const after = await read();
  expect(after).toEqual({ names: ["DATABASE_URL", "DEBUG", "TOKEN"], requests: [] });

  // Asked again, since the value did not work.
  await ask("third", { TOKEN: true });
  expect((await read()).requests).toMatchObject([{ requestId: "third" }]);
});

it("only those who may change the session give values, and only reasonable ones", async () => {
  const { params, give } = await open();
  await expect(
    stranger.call(provideEnvVariables, { params, body: { values: { A: "1" } } }),
  ).rejects.toMatchObject({ code: "session_not_found" });
  for (const values of [{}, { "a b": "1" }, { A: "x".repeat(40_000) }]) {
    await expect(give(values)).rejects.toMatchObject({ code: "request_invalid" });
  }
  const many = Object.fromEntries(
    Array.from({ length: maxEnvVariables + 1 }, (_, index) => [`V${index}`, "1"]),
  );
  await expect(give(many)).rejects.toMatchObject({ code: "too_many_env_variables" });
  await owner.call(deleteSession, { params });
  await expect(give({ A: "1" })).rejects.toMatchObject({ code: "session_stopped" });
});
