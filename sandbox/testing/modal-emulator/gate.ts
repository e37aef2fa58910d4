/** A TCP door in front of the server, so that a test can cut every connection as a failing network would. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Gate extends AsyncDisposable {
  readonly port: number;
  /** Resets what is connected now. New connections are let in. */
  dropConnections(): void;
}

export const openGate = async (targetPort: number): Promise<Gate> => {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    // Else the kernel holds a small message back until the one before is acknowledged, 40 ms later.
    socket.setNoDelay();
    // A reset is what this door is for; both sides close then.
    socket.on("error", () => undefined);
    return socket.once("close", () => sockets.delete(socket));
  };
  const server = createServer((incoming) => {
    track(incoming);
    const outgoing = track(connect(targetPort, "127.0.0.1"));
    incoming.pipe(outgoing).pipe(incoming);
    incoming.once("close", () => outgoing.destroy());
    outgoing.once("close", () => incoming.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const dropConnections = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    dropConnections,
    [Symbol.asyncDispose]: async () => {
      server.close();
      dropConnections();
      if (server.listening) await once(server, "close");
    },
  };
};
