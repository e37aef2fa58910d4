/** Tells whether a running server was launched with the settings that are wanted now. */
import { createHash } from "node:crypto";
import type { SandboxSpec } from "../../provider.ts";

/**
 * Without what only the clone needs, and without the token, which is renewed at the next launch: a turn
 * that goes on is worth more than a fresh token.
 */
export const settingsFingerprint = (spec: SandboxSpec, opencodeBinary: string): string => {
  const settings = [
    spec.gateway.url,
    spec.model,
    spec.instructions,
    spec.environment ?? {},
    opencodeBinary,
  ];
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex");
};
