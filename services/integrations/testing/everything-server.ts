/** The protocol's own reference server, in a process of its own, on a free port of the loopback interface. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface EverythingServer {
  readonly url: string;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);
const program = join(
  dirname(require.resolve("@modelcontextprotocol/server-everything/package.json")),
  "dist/index.js",
);

/** It would listen on all interfaces and take no port of ours for an answer. */
const onLoopback = `data:text/javascript,${encodeURIComponent(`
  import { Server } from "node:net";
  const { listen } = Server.prototype;
  Server.prototype.listen = function (port, ...rest) {
    this.once("listening", () => process.send(this.address().port));
    return listen.call(this, 0, "127.0.0.1", ...rest);
  };
`)}`;

/** @param transport `streamableHttp`, or `sse` for the older one */
export const startEverythingServer = async (
  transport: "streamableHttp" | "sse",
): Promise<EverythingServer> => {
  const child = spawn(process.execPath, ["--import", onLoopback, program, transport], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const ended = once(child, "exit");
  const port = await Promise.race([
    once(child, "message").then(([message]) => message as number),
    ended.then(() => Promise.reject(new Error("The reference server did not start."))),
  ]);
  return {
    url: `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`,
    close: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
};
