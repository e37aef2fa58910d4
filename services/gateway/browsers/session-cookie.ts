/** The cookie that holds a browser's access token. Scripts cannot read it, other sites cannot send it. */
import type { CookieSerializeOptions } from "@fastify/cookie";

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly options: CookieSerializeOptions;
}

const name = "proliferate_session";
const attributes = { httpOnly: true, sameSite: "strict", path: "/" } as const;

/** Stores the token until it expires. */
export const sessionCookie = (
  accessToken: string,
  options: { readonly expires: Date; readonly secure: boolean },
): Cookie => ({ name, value: accessToken, options: { ...attributes, ...options } });

/** Makes a browser forget the token. */
export const clearedSessionCookie = (options: { readonly secure: boolean }): Cookie => ({
  name,
  value: "",
  options: { ...attributes, ...options, expires: new Date(0) },
});

/** The token among a request's cookies. */
export const tokenOfCookies = (
  cookies: Readonly<Record<string, string | undefined>>,
): string | undefined => cookies[name] || undefined;
