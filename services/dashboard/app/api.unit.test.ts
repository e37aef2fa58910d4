import { expect, it } from "vitest";
import { getMe } from "#contracts/http/identity";
import { createClient } from "#services/client/client";
import { createApi } from "./api.ts";

const answering = (status: number, code: string) => () =>
  Promise.resolve(
    Response.json({ type: "t", title: "t", status, detail: "No.", code }, { status }),
  );

it.each([
  [401, "token_expired", 1],
  [403, "forbidden", 0],
])("of refusals with %s %s tells the application %s", async (status, code, told) => {
  let signedOut = 0;
  const client = createClient({ baseUrl: "http://gateway", fetch: answering(status, code) });
  const api = createApi(client, { onSignedOut: () => (signedOut += 1) });
  await expect(api.call(getMe)).rejects.toMatchObject({ code });
  expect(signedOut).toBe(told);
});
