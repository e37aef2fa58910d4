/** Answers that pages of allowed origins may read (WHATWG Fetch, 3.2: the CORS protocol). */
import type { FastifyInstance, FastifyReply } from "fastify";
import { positionHeader } from "#contracts/http/common";
import type { AllowedOrigins } from "./allowed-origins.ts";

const allowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE";
const allowedHeaders = "authorization, content-type, idempotency-key, last-event-id, x-request-id";
const exposedHeaders = `location, x-request-id, ${positionHeader}`;
/** How long a browser may remember an answer to its question; Chromium takes two hours at most. */
const maxAgeSeconds = 7_200;
/** The API; the proxies have rules of their own, and the dashboard is for its own origin. */
const apiPath = "/v1/";

export const addCors = (app: FastifyInstance, { mayRead }: AllowedOrigins): void => {
  app.addHook("onRequest", async (request, reply) => {
    if (!request.url.startsWith(apiPath)) return;
    // Whoever keeps answers must not give one origin's to another.
    reply.header("vary", "origin");
    const { origin } = request.headers;
    if (origin === undefined || !mayRead(origin)) return;
    reply.header("access-control-allow-origin", origin);
    reply.header("access-control-expose-headers", exposedHeaders);
    const isQuestion = request.headers["access-control-request-method"] !== undefined;
    if (request.method === "OPTIONS" && isQuestion) await answerQuestion(reply);
  });
};

/** The browser asks before it sends what a plain form could not have sent. */
const answerQuestion = async (reply: FastifyReply): Promise<void> => {
  await reply
    .code(204)
    .headers({
      "access-control-allow-methods": allowedMethods,
      "access-control-allow-headers": allowedHeaders,
      "access-control-max-age": maxAgeSeconds,
    })
    .send();
};
