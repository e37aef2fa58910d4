import { request } from "node:http";
import { text } from "node:stream/consumers";
import { DomainError } from "#contracts/errors";
import { adminHost } from "./caddyfile.ts";

const timeoutMs = 10_000;

/**
 * Has a running Caddy take a new configuration, or keep its old one when that is bad. Either way the streams
 * that it proxies end (Caddy 2.6); their clients come back by themselves.
 *
 * @returns false when no Caddy answers on the socket
 * @throws DomainError `preview_unavailable` with Caddy's reason when it refuses
 */
export const loadCaddyfile = async (socketPath: string, caddyfile: string): Promise<boolean> => {
  const answer = await send(socketPath, caddyfile).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ECONNREFUSED") return null;
    throw new DomainError("preview_unavailable", `Caddy does not answer: ${error.message}`, {
      cause: error,
    });
  });
  if (answer === null) return false;
  if (answer.status === 200) return true;
  throw new DomainError("preview_unavailable", `Caddy refused: ${answer.body.slice(0, 300)}`);
};

const send = (
  socketPath: string,
  caddyfile: string,
): Promise<{ readonly status: number; readonly body: string }> =>
  new Promise((resolve, reject) => {
    const call = request(
      {
        socketPath,
        method: "POST",
        path: "/load",
        headers: { host: adminHost, "content-type": "text/caddyfile" },
        signal: AbortSignal.timeout(timeoutMs),
      },
      (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, body }),
          (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
        );
      },
    );
    call.once("error", reject);
    call.end(caddyfile);
  });
