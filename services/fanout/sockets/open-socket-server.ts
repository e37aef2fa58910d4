import type { Logger } from "pino";
import { loadUws } from "./load-uws.ts";
import type { SocketServer, SocketServerOptions } from "./socket-server.ts";
import { openUwsServer } from "./uws-adapter.ts";
import { openWsServer } from "./ws-adapter.ts";

/** Opens the fastest socket server that this machine can run, and logs which. */
export const openSocketServer = async (
  options: SocketServerOptions,
  log: Logger,
): Promise<SocketServer> => {
  const probe = loadUws();
  if (probe.native) return openUwsServer(probe.native, options);
  log.info({ reason: probe.reason }, "no native uWebSockets.js here; serving sockets with ws");
  return openWsServer(options);
};
