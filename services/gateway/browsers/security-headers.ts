import type { FastifyInstance } from "fastify";

const contentSecurityPolicy = [
  "default-src 'self'",
  "connect-src 'self' ws: wss:",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/** On every answer; transport security belongs to whoever ends TLS. */
export const addSecurityHeaders = (app: FastifyInstance): void => {
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers);
    // Answers of the API belong to one person and one moment.
    if (request.routeOptions.config.route) reply.header("cache-control", "no-store");
    done();
  });
};
