import { z } from "zod";
import { roleSchema, userViewSchema } from "../identity/principal.ts";
import { defineRoute } from "./route.ts";

export const signIn = defineRoute({
  method: "POST",
  path: "/v1/sign-in",
  audience: "public",
  summary: "Exchange a sign-in token for an access token, which is also set as a cookie",
  body: z.object({ token: z.string().min(1).max(500) }),
  responses: {
    200: z.object({ accessToken: z.string(), expiresAt: z.iso.datetime(), user: userViewSchema }),
  },
});

export const signOut = defineRoute({
  method: "POST",
  path: "/v1/sign-out",
  audience: "public",
  summary: "Forget the cookie",
  responses: { 200: z.object({ ok: z.literal(true) }) },
});

export const getMe = defineRoute({
  method: "GET",
  path: "/v1/me",
  audience: "user",
  summary: "Who is signed in",
  responses: { 200: userViewSchema },
});

export const addUser = defineRoute({
  method: "POST",
  path: "/v1/users",
  audience: "approver",
  summary: "Add a person to the organisation; answers the token for their first sign-in",
  body: z.object({
    email: z.email().max(254),
    name: z.string().trim().min(1).max(100),
    role: roleSchema.exclude(["owner"]),
  }),
  responses: { 201: z.object({ user: userViewSchema, signInToken: z.string() }) },
});
