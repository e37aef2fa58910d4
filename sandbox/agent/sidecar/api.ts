/** The sidecar's HTTP interface in small: a table of routes, JSON in and out, problems for refusals. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type z } from "zod";
import { DomainError } from "#contracts/errors";
import { problemContentType, problemOf } from "#contracts/problem";

export interface ApiRequest {
  /** What the pattern's `:names` stand for, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The last value of each. */
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
  /** Undefined where there is none. */
  readonly body: unknown;
  /** Fires when the client has gone. */
  readonly gone: AbortSignal;
}

export type ApiReply =
  | { readonly kind: "json"; readonly status: number; readonly body: unknown }
  | {
      readonly kind: "bytes";
      readonly bytes: Buffer;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Writes its own head, and ends the response. */
  | { readonly kind: "stream"; readonly write: (response: ServerResponse) => Promise<void> };

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** E.g. `/api/services/:name`. */
  readonly pattern: string;
  /** Answered without a token. */
  readonly open?: boolean;
  readonly handle: (request: ApiRequest) => ApiReply | Promise<ApiReply>;
}

export const json = (body: unknown, status = 200): ApiReply => ({ kind: "json", status, body });

/** @throws DomainError `request_invalid` that names what is wrong */
export const parse = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new DomainError("request_invalid", problems.slice(0, 5).join("; ").slice(0, 500));
};

interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** @throws DomainError `not_found`, `method_not_allowed`, `request_malformed` */
export const findRoute = (
  routes: readonly Route[],
  method: string | undefined,
  pathname: string,
): FoundRoute => {
  const segments = pathname.split("/");
  const fitting = routes.flatMap((route) => {
    const params = match(route.pattern.split("/"), segments);
    return params === null ? [] : [{ route, params }];
  });
  if (fitting.length === 0) throw new DomainError("not_found", "There is nothing at this path.");
  const found = fitting.find(({ route }) => route.method === method);
  if (found === undefined) {
    const methods = fitting.map(({ route }) => route.method).join(", ");
    throw new DomainError("method_not_allowed", `This path takes ${methods}.`);
  }
  return found;
};

const match = (
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null => {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (expected.startsWith(":")) params[expected.slice(1)] = decode(segment);
    else if (expected !== segment) return null;
  }
  return params;
};

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new DomainError("request_malformed", "The path is not well encoded.", { cause: error });
  }
};

const maxBodyBytes = 256 * 1024;
/** A client that is refused while it still sends may never see why, so so much is read and dropped. */
const maxDroppedBytes = 32 * 1024 * 1024;

/** @throws DomainError `body_too_large`, `request_malformed` */
export const readJson = async (request: IncomingMessage): Promise<unknown> => {
  let chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early would destroy the connection before it has been answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size <= maxBodyBytes) chunks.push(chunk as Buffer);
    else chunks = [];
    if (size > maxDroppedBytes) break;
  }
  if (size > maxBodyBytes) {
    throw new DomainError("body_too_large", `A body may have ${maxBodyBytes} bytes.`);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch (error) {
    throw new DomainError("request_malformed", "The body is not JSON.", { cause: error });
  }
};

export const sendReply = async (response: ServerResponse, reply: ApiReply): Promise<void> => {
  switch (reply.kind) {
    case "json":
      return sendJson(response, reply.status, "application/json", reply.body);
    case "bytes":
      response.writeHead(200, { ...commonHeaders, ...reply.headers });
      response.end(reply.bytes);
      return;
    case "stream":
      return reply.write(response);
  }
};

/** Anything but a DomainError is our own mistake; `report` gets it, the client only a code. */
export const sendError = (
  response: ServerResponse,
  thrown: unknown,
  report: (error: unknown) => void,
): void => {
  const known = thrown instanceof DomainError;
  if (!known) report(thrown);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const error = known ? thrown : new DomainError("internal", "The sidecar has made a mistake.");
  // What is left of the body will not be read.
  if (!response.req.complete) response.setHeader("connection", "close");
  if (error.status === 401) response.setHeader("www-authenticate", "Bearer");
  sendJson(response, error.status, problemContentType, problemOf(error));
};

export const commonHeaders = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

const sendJson = (
  response: ServerResponse,
  status: number,
  contentType: string,
  body: unknown,
): void => {
  response.writeHead(status, { ...commonHeaders, "content-type": contentType });
  response.end(JSON.stringify(body));
};
