import { randomInt } from "node:crypto";
import getPort from "get-port";

/** Below the range from which kernels take the ports of outgoing connections. */
const lowest = 12_000;
const highest = 32_000;
const triesPerPort = 20;

/**
 * Ports of 127.0.0.1 that nobody listens on. A node that was killed comes back on its own ports, so
 * they are taken where no outgoing connection can sit on them meanwhile.
 */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const ports: number[] = [];
  while (ports.length < count) {
    const candidates = Array.from({ length: triesPerPort }, () => randomInt(lowest, highest));
    ports.push(await getPort({ host: "127.0.0.1", port: candidates }));
  }
  return ports;
};
