import type { FastifyInstance } from "fastify";
import type { Socket } from "node:net";

/**
 * Ends the connections on which nobody has ever asked anything when the server closes. Browsers and HTTP
 * clients open some in advance; to Node they are not idle, and it would wait for them for as long as the
 * other side likes.
 */
export const endSilentSockets = (app: FastifyInstance): void => {
  const silent = new Set<Socket>();
  let closing = false;
  app.server.on("connection", (socket) => {
    if (closing) {
      socket.destroy();
      return;
    }
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  const heard = ({ socket }: { readonly socket: Socket }): void => {
    silent.delete(socket);
  };
  app.server.on("request", heard);
  app.server.on("upgrade", heard);
  app.addHook("preClose", (done) => {
    closing = true;
    for (const socket of silent) socket.destroy();
    done();
  });
};
