/** What went wrong with a query, for whoever has written it. Nothing can have been changed. Pure. */
import postgres from "postgres";
import { DomainError, isDomainError } from "#contracts/errors";
import { plainLine } from "../plain-text.ts";
import type { ReadBounds } from "./read-rows.ts";

const maxSaidLength = 500;

/** What is refused rather than wrong; by SQLSTATE. */
const refusals: Readonly<Record<string, string>> = {
  "25001": "Only reading is allowed.",
  "25006": "Only reading is allowed.",
  "42501": "The database's user may not do this.",
  "42601": "It must be one query, and of SQL that Postgres understands.",
  "0A000": "Only a query is allowed.",
};
const credentialsRefused: ReadonlySet<string> = new Set(["28000", "28P01"]);
const ranTooLong: ReadonlySet<string> = new Set(["57014", "55P03"]);

export const queryFailure = (
  error: unknown,
  {
    tooLarge,
    late,
    bounds,
  }: { readonly tooLarge: boolean; readonly late: boolean; readonly bounds: ReadBounds },
): DomainError => {
  if (isDomainError(error)) return error;
  if (tooLarge) {
    const { maxBytes } = bounds;
    return new DomainError("response_too_large", `The answer is longer than ${maxBytes} bytes.`, {
      fields: { maxBytes },
      cause: error,
    });
  }
  const sqlState = error instanceof postgres.PostgresError ? error.code : "";
  if (late || ranTooLong.has(sqlState)) {
    const seconds = bounds.statementTimeoutMs / 1000;
    return new DomainError("query_timed_out", `The query has not ended within ${seconds} s.`, {
      cause: error,
    });
  }
  if (!(error instanceof postgres.PostgresError)) {
    return new DomainError(
      "integration_unreachable",
      "The database cannot be reached, or does not speak as agreed (with TLS, unless told otherwise).",
      { cause: error },
    );
  }
  if (credentialsRefused.has(sqlState)) {
    return new DomainError(
      "integration_unauthorized",
      "The database does not accept the connector's user and password.",
      { cause: error },
    );
  }
  const refusal = refusals[sqlState];
  const said = plainLine(error.message, maxSaidLength);
  return new DomainError(
    refusal === undefined ? "query_failed" : "query_refused",
    `${refusal ?? "The query has failed."} Postgres says: ${said}`,
    { fields: { sqlState }, cause: error },
  );
};
