import { afterAll, beforeAll, expect, it } from "vitest";
import { finishAuthorization } from "#contracts/http/connectors";
import { startTestGateway, type TestGateway } from "../../../gateway/testing/test-gateway.ts";
import { createOutbound, type Outbound } from "../../outbound/outbound.ts";
import { authorizationRoutes } from "./routes.ts";

let gateway: TestGateway;
let outbound: Outbound;

beforeAll(async () => {
  outbound = createOutbound();
  const nothing = () => Promise.reject(new Error("Nobody is let in this far."));
  gateway = await startTestGateway({
    extra: authorizationRoutes({
      store: undefined as never,
      secrets: { putSecret: nothing, getSecret: nothing, deleteSecret: nothing },
      outbound,
      clock: () => new Date(),
      redirectUrl: () => "https://control.example.test/",
      finishPath: finishAuthorization.path,
    }),
  });
});
afterAll(async () => {
  await gateway.close();
  await outbound.close();
});

it("is a page that goes on, where only owners and admins who have signed in come in", async () => {
  const query = "?state=tracker.abc&code=a%26b";
  const page = await gateway.send({
    method: "GET",
    url: `/v1/connectors/authorization/callback${query}`,
  });
  expect(page.statusCode).toBe(200);
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  const next = /url=([^"]+)"/.exec(page.body)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(next).toBe(`/v1/connectors/authorization/finish${query}`);
  expect((await gateway.send({ method: "GET", url: next })).statusCode).toBe(401);
  const member = await gateway.send({ method: "GET", url: next, token: gateway.member.token });
  expect(member.statusCode).toBe(403);
});
