/** Turns whatever was thrown into a problem document. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { DomainError, type ErrorCode, isDomainError } from "#contracts/errors";
import { problemContentType, problemOf } from "#contracts/problem";

/** Sends the problem document of an error. Nothing of an unexpected one is told but that it happened. */
export const sendProblem = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  const known = asDomainError(error);
  if (known.status >= 500) {
    request.span?.fail(known);
    // What a service behind this one refuses or breaks is not for the operator of this one to mend.
    const level = known.code === "internal" ? "error" : "warn";
    request.log[level]({ err: error, code: known.code }, "request failed");
  } else {
    request.span?.set({ "error.type": known.code });
    request.log.debug({ code: known.code, detail: known.message }, "request refused");
  }
  if (known.status === 401) reply.header("www-authenticate", "Bearer");
  return reply.code(known.status).type(problemContentType).send(problemOf(known));
};

const asDomainError = (error: unknown): DomainError => {
  if (isDomainError(error)) return error.code === "internal" ? internal() : error;
  if (hasZodFastifySchemaValidationErrors(error)) return ofSchemaFailure(error);
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new DomainError("body_too_large", "The body of a request may have 1 MB at most.");
  }
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return new DomainError("request_malformed", "The request cannot be read.", { cause: error });
  }
  return internal();
};

const internal = (): DomainError =>
  new DomainError(
    "internal",
    "Something went wrong here. It was logged under this answer's X-Request-Id.",
  );

/** What fastify-type-provider-zod makes of the issues of a schema, and where in the request they were. */
interface SchemaFailure {
  readonly validation: readonly {
    readonly instancePath: string;
    readonly message?: string | undefined;
  }[];
  readonly validationContext?: string | undefined;
}

/** What does not exist, by the path parameter that would name it. */
const missing: Readonly<Record<string, ErrorCode>> = {
  "/sessionId": "session_not_found",
  "/invocationId": "invocation_not_found",
  "/triggerId": "trigger_not_found",
  "/connector": "connector_not_found",
};

const ofSchemaFailure = (error: SchemaFailure): DomainError => {
  const { validation, validationContext } = error;
  // An id of an impossible form names nothing, just as one that was never given out.
  if (validationContext === "params") {
    const code = missing[validation[0]?.instancePath ?? ""] ?? "not_found";
    return new DomainError(code, "There is nothing of this name.");
  }
  if (validationContext === "querystring" && validation[0]?.instancePath === "/after") {
    return new DomainError("position_invalid", "This is not a position of the log.");
  }
  return new DomainError("request_invalid", "The request does not have the expected form.", {
    fields: {
      in: validationContext === "querystring" ? "query" : (validationContext ?? "body"),
      issues: validation.map(({ instancePath, message }) => ({ path: instancePath, message })),
    },
  });
};
