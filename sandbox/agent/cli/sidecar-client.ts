/** The sidecar's HTTP API as the command sees it. */
import { EventSourceParserStream } from "eventsource-parser/stream";
import pRetry, { AbortError } from "p-retry";
import { z } from "zod";
import { problemSchema } from "#contracts/problem";
import { serviceViewSchema } from "../services/service.ts";
import { CommandFailed, exitCodes } from "./exit-codes.ts";

export interface SidecarAccess {
  readonly url: string;
  readonly token: string;
}

interface SidecarRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
}

export interface SidecarClient {
  /** @throws CommandFailed with the exit code that fits the refusal */
  call<T>(request: SidecarRequest, schema: z.ZodType<T>): Promise<T>;
  /** The lines of an event stream. */
  lines(path: string): AsyncIterable<string>;
}

export const serviceAnswer = z.object({ service: serviceViewSchema });
export const servicesAnswer = z.object({
  services: z.array(serviceViewSchema),
  exposedPort: z.number().nullable(),
});
export const exposeAnswer = z.object({ port: z.number().nullable(), applied: z.boolean() });

/** About six seconds in all: the sidecar may just be starting. */
const retries = { retries: 5, minTimeout: 200, factor: 2, maxTimeout: 3_000 };
/** Stopping a service may take its whole grace time. */
const timeoutMs = 60_000;

export const openSidecarClient = (access: SidecarAccess): SidecarClient => ({
  call: async (request, schema) => {
    const response = await connect(access, request, AbortSignal.timeout(timeoutMs));
    const parsed = schema.safeParse(await response.json().catch(() => null));
    if (parsed.success) return parsed.data;
    throw new CommandFailed(exitCodes.refused, "The sidecar's answer cannot be read.");
  },
  lines: (path) => readLines(access, path),
});

async function* readLines(access: SidecarAccess, path: string): AsyncIterable<string> {
  const response = await connect(access, { method: "GET", path }, undefined);
  if (response.body === null) return;
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  try {
    for await (const event of events) yield event.event === "gap" ? `[${event.data}]` : event.data;
  } catch (error) {
    throw new CommandFailed(exitCodes.unreachable, `The sidecar has gone: ${reasonOf(error)}`);
  }
}

const connect = async (
  { url, token }: SidecarAccess,
  { method, path, body }: SidecarRequest,
  signal: AbortSignal | undefined,
): Promise<Response> => {
  const init: RequestInit = {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  };
  // Only what was never connected is tried again: everything else may have happened.
  const response = await pRetry(
    () =>
      fetch(url.replace(/\/+$/, "") + path, init).catch((error: unknown) => {
        throw isRefused(error) ? error : new AbortError(new Error(reasonOf(error)));
      }),
    retries,
  ).catch((error: unknown) => {
    throw new CommandFailed(
      exitCodes.unreachable,
      `The sidecar does not answer at ${url}: ${reasonOf(error)}`,
    );
  });
  if (response.ok) return response;
  throw await refusal(response);
};

const refusal = async (response: Response): Promise<CommandFailed> => {
  const problem = problemSchema.safeParse(await response.json().catch(() => null));
  if (!problem.success) {
    return new CommandFailed(
      exitCodes.refused,
      `The sidecar answered with HTTP ${response.status}.`,
    );
  }
  const { code, detail } = problem.data;
  const isUsage =
    response.status === 422 || response.status === 404 || code === "path_outside_workspace";
  return new CommandFailed(isUsage ? exitCodes.usage : exitCodes.refused, `${detail} (${code})`);
};

const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? error.cause : error;

const isRefused = (error: unknown): boolean => {
  const cause = causeOf(error);
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
};

const reasonOf = (error: unknown): string => {
  const cause = causeOf(error);
  return cause instanceof Error ? cause.message : String(cause);
};
