/** One id for everything that a request leads to: in logs, in commits, and in the answer. */
import type { FastifyInstance } from "fastify";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const requestIdHeader = "x-request-id";

/** The sender's own id when it is a plain name, so that it can be found on both sides; else a new one. */
export const correlationIdOf = ({ headers }: Pick<IncomingMessage, "headers">): string => {
  const given = headers[requestIdHeader];
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
};

export const answerRequestIds = (app: FastifyInstance): void => {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    done();
  });
};
