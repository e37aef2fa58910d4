/** Reads what the SDK throws: its own error classes, and gRPC errors of a library below it. */
import { AlreadyExistsError, ConflictError, NotFoundError } from "modal";
import type { ErrorCode } from "#contracts/errors";
import { SandboxProviderError } from "../../provider/error.ts";
import type { SandboxProvider } from "../../provider/provider.ts";

/** By number: https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
const statusNames = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;
type StatusName = (typeof statusNames)[number];

/** Null for what is no gRPC error. The library's class is not exported by the SDK, hence by shape. */
const statusOf = (error: unknown): StatusName | null => {
  if (!(error instanceof Error) || error.name !== "ClientError" || !("code" in error)) return null;
  return typeof error.code === "number" ? (statusNames[error.code] ?? null) : null;
};

/** There is no such sandbox, image or snapshot, or there is not any more. */
export const isGone = (error: unknown): boolean =>
  error instanceof NotFoundError ||
  error instanceof ConflictError ||
  statusOf(error) === "NOT_FOUND";

/** Another sandbox of the app runs under the name. */
export const isNameTaken = (error: unknown): boolean =>
  error instanceof AlreadyExistsError || statusOf(error) === "ALREADY_EXISTS";

/** The command has ended before its input was read; the SDK's own file writer reads these so. */
export const hasEnded = (error: unknown): boolean =>
  ["FAILED_PRECONDITION", "ABORTED"].includes(statusOf(error) ?? "");

export interface ModalOperation {
  readonly operation: keyof SandboxProvider & string;
  readonly secrets: readonly string[];
}

/** Whatever is thrown, with the status of the remote call in its fields and without secrets. */
export const modalError = (error: unknown, { operation, secrets }: ModalOperation) => {
  const status = statusOf(error);
  const code = codeOf(error, status);
  return SandboxProviderError.from(error, {
    provider: "modal",
    operation,
    secrets,
    ...(code !== null && { code }),
    ...(status !== null && { fields: { status } }),
  });
};

/** Null: the error's own, or that of a provider's failure. */
const codeOf = (error: unknown, status: StatusName | null): ErrorCode | null => {
  if (isGone(error)) return "sandbox_not_found";
  if (status === "UNAVAILABLE" || status === "DEADLINE_EXCEEDED") return "sandbox_unavailable";
  return null;
};
