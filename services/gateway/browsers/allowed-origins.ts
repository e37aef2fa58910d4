/**
 * The origins whose pages may use this server beside its own: `ALLOWED_ORIGINS`. Their pages sign in with
 * tokens, never with our cookie, so no answer ever allows credentials.
 */
export interface AllowedOrigins {
  /** Whether answers are for a page of this origin to read. */
  readonly mayRead: (origin: string) => boolean;
  /** Whether a page of this origin may open the live channel; null: it is no browser's. */
  readonly mayWatch: (origin: string | null) => boolean;
}

/**
 * @param allowed origins, as browsers send them: `https://app.example.com`
 * @param publicUrl where the dashboard is; null where nobody has said so. Then, and without a list, the
 * live channel takes every page that has a ticket.
 */
export const allowedOrigins = (
  allowed: readonly string[],
  publicUrl: string | null,
): AllowedOrigins => {
  const readers = new Set(allowed);
  const watchers = new Set(publicUrl === null ? allowed : [...allowed, new URL(publicUrl).origin]);
  return {
    mayRead: (origin) => readers.has(origin),
    mayWatch: (origin) => origin === null || watchers.size === 0 || watchers.has(origin),
  };
};
