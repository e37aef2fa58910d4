import { createHash } from "node:crypto";
import { mkdir, realpath, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "#contracts/errors";

const pollMs = 100;

/** A folder that no other process may serve from until it is released. */
export interface FolderLock {
  release(): Promise<void>;
}

/**
 * Claims `folder` (created if missing) for this process. The claim is a listening local socket, so
 * the kernel ends it with the process, however that dies: a claim never has to be broken.
 *
 * @param waitMs how long to wait for a holder that is on its way out
 * @throws DomainError `configuration_invalid` when somebody else still holds it after that
 */
export const lockFolder = async (folder: string, waitMs = 20_000): Promise<FolderLock> => {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const address = addressOf(await realpath(folder));
  const deadline = Date.now() + waitMs;
  for (;;) {
    const server = await listen(address);
    if (server !== undefined) return { release: () => close(server) };
    if (await removedStaleSocket(address)) continue;
    if (Date.now() >= deadline) {
      throw new DomainError(
        "configuration_invalid",
        `Another process is using the data folder ${folder}: stop it first, or choose another folder.`,
      );
    }
    await delay(pollMs);
  }
};

const isAbstract = process.platform === "linux";

const addressOf = (path: string): string => {
  const name = `proliferate-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`;
  return isAbstract ? `\0${name}` : join(tmpdir(), `${name}.sock`);
};

const listen = (address: string): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => {
      server.unref();
      resolve(server);
    });
  });

const close = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => {
      if (error === undefined || !server.listening) resolve();
      else reject(error);
    });
  });

/** Where sockets are files (not on Linux), one that refuses a connection was left by a dead process. */
const removedStaleSocket = async (address: string): Promise<boolean> => {
  if (isAbstract) return false;
  const refused = await new Promise<boolean>((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "ECONNREFUSED");
    });
  });
  if (refused) await rm(address, { force: true });
  return refused;
};
