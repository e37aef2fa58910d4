/** One question to the sidecar of a sandbox. The sandbox is the agent's: nothing of its answer is trusted. */
import { type z } from "zod";
import { DomainError, errorCatalogue, type ErrorCode } from "#contracts/errors";
import { problemSchema } from "#contracts/problem";

export interface SidecarAccess {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string;
}

export interface SidecarCall<Answer extends z.ZodType> {
  readonly method: "GET" | "POST" | "PUT";
  /** With its query. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer: Answer;
  readonly maxAnswerBytes: number;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/** @throws DomainError what the sidecar refuses it with; `sandbox_unavailable` */
export const callSidecar = async <Answer extends z.ZodType>(
  { url, token }: SidecarAccess,
  { method, path, body, headers, answer, maxAnswerBytes, signal }: SidecarCall<Answer>,
): Promise<z.infer<Answer>> => {
  const request: RequestInit = {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: "error",
    signal,
  };
  const said = answer.safeParse(await exchange(`${url}${path}`, request, maxAnswerBytes));
  if (said.success) return said.data;
  throw new DomainError("sandbox_unavailable", "The sandbox gave no answer that can be read.");
};

const exchange = async (url: string, init: RequestInit, maxBytes: number): Promise<unknown> => {
  let status: number;
  let said: unknown;
  try {
    const response = await fetch(url, init);
    status = response.status;
    said = JSON.parse(await boundedText(response, maxBytes));
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

/** It may answer without an end. */
const boundedText = async (response: Response, maxBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error("The sidecar's answer is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
};
