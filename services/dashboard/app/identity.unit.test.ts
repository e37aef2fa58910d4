import { expect, it } from "vitest";
import type { Route } from "#contracts/http/route";
import { newId } from "#contracts/ids";
import type { UserView } from "#contracts/identity/principal";
import { ProblemError } from "#services/client/problem-error";
import type { Api } from "./api.ts";
import { identityLoader, mayApprove } from "./identity.ts";

const user: UserView = {
  id: newId("user"),
  organizationId: newId("organization"),
  organizationName: "Acme",
  email: "ada@acme.example",
  name: "Ada",
  role: "owner",
};
const refused = new ProblemError({ code: "unauthenticated", status: 401, detail: "No." });

/** A fake API: a token that works or does not, and a cookie that is there or not. */
const fakeApi = (works: { readonly token: boolean; readonly cookie: boolean }) => {
  const calls: string[] = [];
  const call = (route: Route) => {
    calls.push(route.path);
    const isSignIn = route.path === "/v1/sign-in";
    if (!(isSignIn ? works.token : works.cookie)) return Promise.reject(refused);
    return Promise.resolve(isSignIn ? { accessToken: "secret", user } : user);
  };
  return { api: { call } as Api, calls };
};

it("uses the token of a link once, and keeps no access token", async () => {
  const { api, calls } = fakeApi({ token: true, cookie: true });
  const load = identityLoader(api, "one-time");
  expect(await load()).toEqual({ kind: "signed_in", user });
  expect(await load()).toEqual({ kind: "signed_in", user });
  expect(calls).toEqual(["/v1/sign-in", "/v1/me"]);
});

it("still counts a cookie from before when the link was used up", async () => {
  const { api } = fakeApi({ token: false, cookie: true });
  expect(await identityLoader(api, "used")()).toEqual({ kind: "signed_in", user });
});

it("says why the link did not work when there is no cookie either", async () => {
  const { api } = fakeApi({ token: false, cookie: false });
  expect(await identityLoader(api, "used")()).toEqual({ kind: "signed_out", problem: refused });
  expect(await identityLoader(api, null)()).toEqual({ kind: "signed_out", problem: null });
});

it("shows decisions to owners and admins only", () => {
  expect(mayApprove(user)).toBe(true);
  expect(mayApprove({ ...user, role: "member" })).toBe(false);
});
