import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "#contracts/errors";
import { sendProblem } from "../routes/problems.ts";

/**
 * Serves the built dashboard. Its pages are one page: a path that names no file answers `index.html`, and
 * the browser finds out the rest.
 *
 * @param directory the build's folder; null for a gateway without a dashboard
 */
export const serveDashboard = async (
  app: FastifyInstance,
  directory: string | null,
): Promise<void> => {
  if (directory !== null) {
    await app.register(fastifyStatic, {
      root: directory,
      cacheControl: false,
      setHeaders: (reply, path) => {
        // The build puts a hash of the content into the names below assets/, so they never change.
        const hashed = path.startsWith(`${directory}/assets/`);
        reply.header("cache-control", hashed ? "public, max-age=31536000, immutable" : "no-cache");
      },
    });
  }
  app.setNotFoundHandler((request, reply) =>
    directory !== null && isPage(request)
      ? sendPage(reply)
      : sendProblem(new DomainError("not_found", "There is nothing here."), request, reply),
  );
};

const sendPage = (reply: FastifyReply): FastifyReply => reply.sendFile("index.html");

const isPage = ({ method, url }: FastifyRequest): boolean => {
  const path = url.split("?", 1)[0] ?? "";
  return (
    (method === "GET" || method === "HEAD") &&
    !/^\/v1(?:\/|$)/.test(path) &&
    !/\.[a-z0-9]+$/i.test(path)
  );
};
