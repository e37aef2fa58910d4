/**
 * What went wrong with an MCP server, as an error of ours. A DomainError says that nothing came of the
 * action; any other error, that nobody knows (see `ActionSource.execute`). Pure.
 */
import { SseError } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { DomainError, type ErrorCode as OwnErrorCode, isDomainError } from "#contracts/errors";
import { plainLine } from "../plain-text.ts";

const maxSaidLength = 500;

/** Before anything was asked of the server, or when it was asked for its tools only. */
export const connectFailure = (error: unknown, timeoutMs: number): DomainError => {
  if (isDomainError(error)) return error;
  const refusal = refusalOf(error);
  if (refusal) return refusal;
  if (isTimeout(error)) {
    return new DomainError(
      "integration_timed_out",
      `The integration's server has not answered within ${timeoutMs / 1000} s.`,
      { cause: error },
    );
  }
  return new DomainError("integration_unreachable", "The integration's server cannot be reached.", {
    cause: error,
  });
};

/** Refused on the way out: the server has not got the request, or has done nothing with it. */
const certain: ReadonlySet<OwnErrorCode> = new Set(["address_forbidden", "redirect_refused"]);

/** Answers with which a server says that it has not even begun. */
const notBegun: readonly number[] = [
  ErrorCode.ParseError,
  ErrorCode.InvalidRequest,
  ErrorCode.MethodNotFound,
  ErrorCode.InvalidParams,
];

/** A call of a tool: certain refusals only are DomainErrors. */
export const callFailure = (error: unknown): unknown => {
  if (isDomainError(error)) {
    return certain.has(error.code)
      ? error
      : new Error(`${error.message} The action may have taken effect.`, { cause: error });
  }
  if (error instanceof McpError && notBegun.includes(error.code)) {
    return refused("action_failed", `The integration refused the call.${saidBy(error)}`, error);
  }
  return refusalOf(error) ?? error;
};

/** What an answer with a status of HTTP that is the client's fault means; null for anything else. */
const refusalOf = (error: unknown): DomainError | null => {
  const status = statusOf(error);
  if (status === 401) {
    return refused(
      "integration_unauthorized",
      "The integration's server does not accept the credentials. An administrator has to give new ones.",
      error,
    );
  }
  if (status === 403) {
    return refused(
      "integration_forbidden",
      "The integration's server does not let the credentials do this.",
      error,
    );
  }
  if (status === 429) {
    return refused(
      "integration_rate_limited",
      "The integration's server takes no more requests for now. Try again later.",
      error,
    );
  }
  if (status === undefined || status < 400 || status >= 500) return null;
  return refused(
    "action_failed",
    `The integration's server refused the request (${status}).${saidBy(error)}`,
    error,
  );
};

const statusOf = (error: unknown): number | undefined =>
  error instanceof StreamableHTTPError || error instanceof SseError ? error.code : undefined;

const refused = (code: OwnErrorCode, message: string, cause: unknown): DomainError =>
  new DomainError(code, message, { cause });

/** The deadline's own error, also as a cause, or what the SDK makes of it. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === "TimeoutError" ||
    (error instanceof McpError && error.code === Number(ErrorCode.RequestTimeout)) ||
    isTimeout(error.cause));

const saidBy = (error: unknown): string => {
  const said = plainLine(error instanceof Error ? error.message : "", maxSaidLength);
  return said === "" ? "" : ` It says: ${said}`;
};
