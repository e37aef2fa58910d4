import canonicalizeModule from "canonicalize";
import { createHash } from "node:crypto";

// Its types describe an ES module, but the package is CommonJS: what is imported is the function.
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string | undefined;

/**
 * SHA-256, in hex, of a JSON value: the same for the same content, in whatever order its fields came
 * (RFC 8785). Pure.
 */
export const fingerprintOf = (value: unknown): string =>
  createHash("sha256")
    .update(canonicalize(value) ?? "")
    .digest("hex");
