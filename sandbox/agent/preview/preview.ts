/** The preview: a Caddy that the sidecar keeps running, and the port that it shows. */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import pLimit from "p-limit";
import { DomainError } from "#contracts/errors";
import type { ServiceSpec } from "../services/service.ts";
import { socketFolder } from "../socket-folder.ts";
import { loadCaddyfile } from "./caddy-admin.ts";
import {
  caddyfile,
  exposedPortSnippet,
  parseExposedPort,
  type PreviewSettings,
} from "./caddyfile.ts";

export interface PreviewOptions extends PreviewSettings {
  /** Caddy: a path, or a name on PATH. */
  readonly caddy: string;
  readonly stateFolder: string;
  readonly sidecarPort: number;
}

export interface Preview {
  /** What keeps it running. */
  readonly service: ServiceSpec;
  exposedPort(): number | null;
  /**
   * Shows this port instead of the usual ones; null goes back to those. It is remembered.
   * @returns whether a running Caddy has taken it; otherwise it counts from Caddy's next start
   * @throws DomainError `request_invalid` for a port that must not be shown, `preview_unavailable`
   */
  expose(port: number | null): Promise<boolean>;
}

export const openPreview = async (options: PreviewOptions): Promise<Preview> => {
  const folder = path.join(options.stateFolder, "caddy");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = { main: path.join(folder, "Caddyfile"), user: path.join(folder, "user.caddy") };
  const adminSocket = path.join(await socketFolder(folder), "admin.sock");
  const main = caddyfile(options, {
    sidecarPort: options.sidecarPort,
    adminSocket,
    userFile: files.user,
    storageFolder: path.join(folder, "storage"),
  });
  const oneAtATime = pLimit(1);
  let exposed = await readFile(files.user, "utf8").then(parseExposedPort, () => null); // None yet.
  await replaceFile(files.user, exposedPortSnippet(exposed));
  await replaceFile(files.main, main);

  const expose = async (port: number | null): Promise<boolean> => {
    if (port === options.port || port === options.sidecarPort) {
      throw new DomainError("request_invalid", `Port ${port} belongs to the sandbox itself.`);
    }
    await replaceFile(files.user, exposedPortSnippet(port));
    try {
      const taken = await loadCaddyfile(adminSocket, main);
      exposed = port;
      return taken;
    } catch (error) {
      await replaceFile(files.user, exposedPortSnippet(exposed));
      throw error;
    }
  };

  return {
    service: {
      name: "caddy",
      argv: [options.caddy, "run", "--config", files.main, "--adapter", "caddyfile"],
      cwd: folder,
      // Another configuration is another program, so that one that an earlier sidecar has left is replaced.
      env: { PROLIFERATE_CADDYFILE: createHash("sha256").update(main).digest("hex") },
      restart: "always",
      owner: "sandbox",
    },
    exposedPort: () => exposed,
    expose: (port) => oneAtATime(() => expose(port)),
  };
};

const replaceFile = async (file: string, content: string): Promise<void> => {
  await writeFile(`${file}.new`, content, { mode: 0o600 });
  await rename(`${file}.new`, file);
};
