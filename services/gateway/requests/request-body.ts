/**
 * Bodies are kept as they arrived, because signatures are over bytes, and read as JSON only for routes
 * that have a schema for them.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { DomainError } from "#contracts/errors";

const none = Buffer.alloc(0);

export const keepRawBodies = (app: FastifyInstance): void => {
  // One shared empty buffer: nothing can be written into it.
  app.decorateRequest("rawBody", {
    getter(this: FastifyRequest) {
      return rawBodies.get(this) ?? none;
    },
  });
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    rawBodies.set(request, body);
    const { route } = request.routeOptions.config;
    if (!route?.body || body.length === 0) return done(null, undefined);
    if (!isJson(request.headers["content-type"])) {
      return done(new DomainError("request_malformed", "The body must be JSON: application/json."));
    }
    void parseJson(request, body.toString("utf8"), done);
  });
};

const rawBodies = new WeakMap<FastifyRequest, Buffer>();

const isJson = (contentType: string | undefined): boolean =>
  /^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "");
