/** JSON over HTTP for vendors without a client library that is kept. */
import { unanswered } from "./vendor-failure.ts";
import type { VendorCall } from "./vendor.ts";

export interface RestRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL; each part is encoded. */
  readonly path: readonly string[];
  /** Without those that are undefined. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON, without the fields that are undefined. */
  readonly body?: unknown;
}

export interface RestAnswer {
  readonly body: unknown;
  readonly headers: Headers;
}

/** Sends it with the token as a bearer's. The path ends in a slash, as Django's routes want it. */
export const requestJson = async (
  vendor: string,
  { token, baseUrl, fetch }: VendorCall,
  { method = "GET", path, query = {}, body }: RestRequest,
): Promise<RestAnswer> => {
  const url = new URL(`${baseUrl}/${path.map(encodeURIComponent).join("/")}/`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (text === "") return { body: null, headers: response.headers };
  try {
    return { body: JSON.parse(text) as unknown, headers: response.headers };
  } catch (error) {
    throw unanswered({ vendor, reads: method === "GET" }, error);
  }
};
