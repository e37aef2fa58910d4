/** Takes secrets out of JSON before it is stored: by the names of fields, and by what values look like. */
import { redact } from "#sandbox/redaction";

export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const mask = "[redacted]";

/** Compared with a field's name in lower case without separators, so `api_key` and `apiKey` are one. */
const secretNames =
  /(?:(?:token|secret|password|passphrase|credential|cookie)s?|passwd|authorization|(?:api|access|private|secret|signing)keys?)$/;

/** The same JSON with secrets masked. Numbers and booleans are kept: `tokens: 12` is a count. */
export const redactJson = (value: Json): Json => {
  if (typeof value === "string") return redact(value);
  if (value === null || typeof value !== "object") return value;
  if (isArray(value)) return value.map(redactJson);
  return Object.fromEntries(
    Object.entries(value).map(([key, field]): [string, Json] => [
      redact(key),
      isSecret(key, field) ? mask : redactJson(field),
    ]),
  );
};

/** `Array.isArray` does not narrow readonly arrays. */
const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);

const isSecret = (key: string, value: Json): boolean =>
  value !== null &&
  typeof value !== "number" &&
  typeof value !== "boolean" &&
  secretNames.test(key.toLowerCase().replaceAll(/[^a-z]/g, ""));
