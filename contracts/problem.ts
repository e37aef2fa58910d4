import { z } from "zod";
import { type DomainError, type ErrorCode, errorCatalogue } from "./errors.ts";

const codes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];

/** The body of every refused request: RFC 9457 problem details with our stable `code`. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(codes),
  fields: z.record(z.string(), z.unknown()).optional(),
});
export type Problem = z.infer<typeof problemSchema>;

export const problemContentType = "application/problem+json";

/** The problem document of an error. */
export const problemOf = (error: DomainError): Problem => ({
  type: `urn:proliferate:error:${error.code}`,
  title: error.code.replaceAll("_", " "),
  status: error.status,
  detail: error.message,
  code: error.code,
  ...(Object.keys(error.fields).length > 0 ? { fields: { ...error.fields } } : {}),
});
