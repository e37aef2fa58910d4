import { type Json, redactJson } from "../execution/redact-result.ts";
import { truncateJson } from "../execution/truncate.ts";

/** As much of a tool's parameters as an approver can read, in bytes of its JSON. */
const maxParamsBytes = 10 * 1024;

/**
 * What stands in the log of a tool's parameters: without secrets, and no longer than 10 KB. They come out of
 * a sandbox, in any form.
 */
export const recordableParams = (
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const json = JSON.parse(JSON.stringify(params)) as Json;
  const { value } = truncateJson(redactJson(json), maxParamsBytes);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : { "[truncated]": value };
};
