/** The control plane's HTTP API as the sandbox sees it. */
import pRetry, { AbortError } from "p-retry";
import type { z } from "zod";
import { problemSchema, type Problem } from "#contracts/problem";
import { CommandFailed, exitCodes, type ExitCode } from "./exit-codes.ts";

export interface GatewayAccess {
  readonly url: string;
  readonly sessionId: string;
  readonly token: string;
}

interface GatewayRequest {
  readonly method: "GET" | "POST";
  /** Below `/v1/sessions/<session>`. */
  readonly path: string;
  readonly body?: unknown;
}

export type Gateway = <T>(request: GatewayRequest, schema: z.ZodType<T>) => Promise<T>;

/** An action may run inside the request. */
const requestTimeoutMs = 120_000;
/** Half a second, doubled each time: about half a minute in all, enough for a restart of the gateway. */
const retries = { retries: 6, minTimeout: 500, factor: 2, maxTimeout: 10_000 };

/** @throws CommandFailed with the exit code that fits the refusal */
export const openGateway =
  (access: GatewayAccess): Gateway =>
  async (request, schema) => {
    const reply = await pRetry(() => send(access, request), {
      ...retries,
      // Anything else is an answer, or a mistake of ours.
      shouldRetry: (error) => error instanceof Unanswered,
    }).catch((error: unknown) => {
      if (!(error instanceof Unanswered)) throw error;
      throw new CommandFailed(
        exitCodes.unreachable,
        `The control plane does not answer: ${error.message}`,
      );
    });
    const parsed = schema.safeParse(reply);
    if (parsed.success) return parsed.data;
    throw new CommandFailed(exitCodes.refused, "The control plane's answer cannot be read.");
  };

/** Nobody with authority has answered: the network, a proxy, or a gateway that is starting. */
class Unanswered extends Error {}

const send = async (access: GatewayAccess, request: GatewayRequest): Promise<unknown> => {
  const base = access.url.replace(/\/+$/, "");
  const url = `${base}/v1/sessions/${encodeURIComponent(access.sessionId)}${request.path}`;
  const { status, text } = await exchange(url, {
    method: request.method,
    headers: {
      authorization: `Bearer ${access.token}`,
      ...(request.body !== undefined && { "content-type": "application/json" }),
    },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  const json = parseJson(text);
  if (status >= 200 && status < 300) return json;
  const problem = problemSchema.safeParse(json);
  // A problem document is the gateway's own word. Only "not now" is worth another try.
  if (problem.success && status !== 503) throw new AbortError(refusal(problem.data));
  if (status >= 502 && status <= 504) throw new Unanswered(`HTTP ${status}`);
  throw new AbortError(
    new CommandFailed(exitCodes.refused, `The control plane answered with HTTP ${status}.`),
  );
};

const exchange = async (
  url: string,
  init: RequestInit,
): Promise<{ status: number; text: string }> => {
  try {
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Unanswered(cause instanceof Error ? cause.message : String(cause));
  }
};

const refusal = (problem: Problem): CommandFailed =>
  new CommandFailed(
    exitCodeOf[problem.code] ?? exitCodes.refused,
    `${problem.detail} (${problem.code})`,
  );

const exitCodeOf: Partial<Record<Problem["code"], ExitCode>> = {
  action_denied: exitCodes.denied,
  invocation_expired: exitCodes.expired,
  action_failed: exitCodes.failed,
  action_params_invalid: exitCodes.usage,
  request_invalid: exitCodes.usage,
  action_not_found: exitCodes.usage,
  integration_not_found: exitCodes.usage,
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null; // A proxy's error page; the status says enough.
  }
};
