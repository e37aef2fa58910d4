/** Asks the sidecar of a session's sandbox to do something with git. */
import { type z } from "zod";
import { DomainError, errorCatalogue, type ErrorCode } from "#contracts/errors";
import { problemSchema } from "#contracts/problem";
import type { FindEndpoints, Visitor } from "../proxies/find-endpoints.ts";

export interface SidecarGitDeps {
  readonly findEndpoints: FindEndpoints;
  /** What the sidecar of a session asks for. */
  readonly sidecarToken: (visitor: Visitor) => string;
}

export interface SidecarCall<Answer extends z.ZodType> {
  readonly path: "status" | "branches" | "branch" | "stage" | "commit" | "push";
  readonly repo: string;
  /** A change with this, beside the repository; without it a question. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The same change under the same key is made once, and answered again. */
  readonly key?: string | null;
  readonly answer: Answer;
}

/** Longer than a push may take inside. */
const timeoutMs = 6 * 60_000;
/** The sidecar lists 2,000 files at most. */
const maxAnswerBytes = 8 * 1024 * 1024;

/**
 * @throws DomainError what git is refused with, as the sidecar says it; `sandbox_unavailable`; what
 * {@link FindEndpoints} throws
 */
export const askSidecar = async <Answer extends z.ZodType>(
  { findEndpoints, sidecarToken }: SidecarGitDeps,
  visitor: Visitor,
  { path, repo, body, key = null, answer }: SidecarCall<Answer>,
): Promise<z.infer<Answer>> => {
  const { sidecar } = await findEndpoints(visitor);
  const query = body === undefined ? `?${new URLSearchParams({ repo }).toString()}` : "";
  const text = await exchange(`${sidecar}/api/git/${path}${query}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${sidecarToken(visitor)}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== null && { "idempotency-key": key }),
    },
    ...(body !== undefined && { body: JSON.stringify({ repo, ...body }) }),
  });
  const said = answer.safeParse(text);
  if (said.success) return said.data;
  throw new DomainError("sandbox_unavailable", "The sandbox gave no answer that can be read.");
};

const exchange = async (url: string, init: RequestInit): Promise<unknown> => {
  let status: number;
  let said: unknown;
  try {
    const response = await fetch(url, {
      ...init,
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    status = response.status;
    said = JSON.parse(await boundedText(response));
  } catch (cause) {
    // The agent may have ended the sidecar, or its sandbox is being put away.
    throw new DomainError("sandbox_unavailable", "The sandbox does not answer.", { cause });
  }
  if (status < 300) return said;
  const problem = problemSchema.safeParse(said);
  if (problem.success && isCode(problem.data.code)) {
    throw new DomainError(problem.data.code, problem.data.detail);
  }
  throw new DomainError("sandbox_unavailable", "The sandbox could not do it.");
};

const isCode = (code: string): code is ErrorCode =>
  Object.hasOwn(errorCatalogue, code) && errorCatalogue[code as ErrorCode] !== 401;

/** The sandbox is the agent's: it may answer without an end. */
const boundedText = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error("The sidecar's answer is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
};
