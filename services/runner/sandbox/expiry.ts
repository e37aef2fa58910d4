import type { RunningSandbox } from "#sandbox/provider/sandbox";

/** When the provider ends a sandbox by itself, as events have it. */
export const expiryOf = ({ expiresAt }: Pick<RunningSandbox, "expiresAt">): string | null =>
  expiresAt === null ? null : new Date(expiresAt).toISOString();

/** How long until then, in milliseconds by this computer's clock; none is left for ever. */
export const timeLeft = (expiresAt: string | null): number =>
  expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - Date.now();
