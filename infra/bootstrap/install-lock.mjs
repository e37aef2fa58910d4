import { createHash } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const pollMs = 250;

/**
 * Runs `work` while no other process does so for the same folder. The lock is a listening socket
 * without a file, so the kernel takes it back from a process that is killed. Other systems than Linux
 * have no such sockets; there two first starts at once are not kept apart.
 *
 * @param {string} folder
 * @param {() => Promise<void>} work
 */
export async function withInstallLock(folder, work) {
  if (process.platform !== "linux") return work();
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 24);
  let server;
  for (let told = false; (server = await listen(`\0proliferate-install-${name}`)) === undefined;) {
    if (!told) process.stderr.write("waiting for another start that is installing packages\n");
    told = true;
    await delay(pollMs);
  }
  try {
    await work();
  } finally {
    server.close();
  }
}

/** @param {string} address */
function listen(address) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => resolve(server));
  });
}
