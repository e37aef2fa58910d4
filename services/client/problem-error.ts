import type { ErrorCode } from "#contracts/errors";
import { type Problem, problemSchema } from "#contracts/problem";

/**
 * The codes of the catalogue, and what can only happen on this side: nobody answered
 * (`unreachable`), it took too long (`timed_out`), the answer is not one of ours
 * (`reply_unexpected`), or the server speaks another version of the live channel
 * (`protocol_unsupported`).
 */
export type ProblemCode =
  ErrorCode | "unreachable" | "timed_out" | "reply_unexpected" | "protocol_unsupported";

/** A request that was refused or got no usable answer. `message` is the sentence for people. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly code: ProblemCode;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly detail: string;
  /** Ids, limits and the paths of invalid fields. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(problem: {
    readonly code: ProblemCode;
    readonly status: number;
    readonly detail: string;
    readonly fields?: Readonly<Record<string, unknown>> | undefined;
    readonly cause?: unknown;
  }) {
    super(problem.detail, problem.cause === undefined ? undefined : { cause: problem.cause });
    this.code = problem.code;
    this.status = problem.status;
    this.detail = problem.detail;
    this.fields = problem.fields ?? {};
  }
}

/** Whether something thrown is a {@link ProblemError}, with the given code if one is given. */
export const isProblemError = (error: unknown, code?: ProblemCode): error is ProblemError =>
  error instanceof ProblemError && (code === undefined || error.code === code);

/** The error of an answer that was not a success: its problem document, or what stands in for one. */
export const problemOfAnswer = (status: number, body: unknown): ProblemError => {
  const parsed = problemSchema.safeParse(body);
  if (parsed.success) return new ProblemError(parsed.data satisfies Problem);
  return new ProblemError({
    code: "reply_unexpected",
    status,
    detail: `The server answered with status ${status} and no problem document.`,
  });
};
