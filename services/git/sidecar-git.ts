/** Asks the sidecar of a session's sandbox to do something with git. */
import { type z } from "zod";
import type { FindEndpoints, Visitor } from "../proxies/find-endpoints.ts";
import { callSidecar } from "../sandboxes/call-sidecar.ts";

export interface SidecarGitDeps {
  readonly findEndpoints: FindEndpoints;
  /** What the sidecar of a session asks for. */
  readonly sidecarToken: (visitor: Visitor) => string;
}

export interface GitCall<Answer extends z.ZodType> {
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
  { path, repo, body, key = null, answer }: GitCall<Answer>,
): Promise<z.infer<Answer>> => {
  const { sidecar: url } = await findEndpoints(visitor);
  const query = body === undefined ? `?${new URLSearchParams({ repo }).toString()}` : "";
  return callSidecar(
    { url, token: sidecarToken(visitor) },
    {
      method: body === undefined ? "GET" : "POST",
      path: `/api/git/${path}${query}`,
      body: body && { repo, ...body },
      headers: key === null ? {} : { "idempotency-key": key },
      answer,
      maxAnswerBytes,
      signal: AbortSignal.timeout(timeoutMs),
    },
  );
};
