/** The bounds of the proxies. All of them have defaults; tests change single ones. */
export interface ProxyLimits {
  /** The largest body of a request. Bytes. */
  readonly maxBodyBytes: number;
  /** How long a sandbox may take to begin its answer. Milliseconds. */
  readonly answerTimeoutMs: number;
  /** A connection on which nothing moves for this long is ended. Milliseconds. */
  readonly idleTimeoutMs: number;
  /** Requests and WebSockets that one session may have open at once. */
  readonly maxConnections: number;
}

export const defaultProxyLimits: ProxyLimits = {
  maxBodyBytes: 32 * 1024 * 1024,
  answerTimeoutMs: 60_000,
  idleTimeoutMs: 10 * 60_000,
  maxConnections: 64,
};
