import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { findOpencodeBinary } from "../../opencode/binary.ts";

/** A real OpenCode server for tests: own home, own workspace, no download, the model redirected to `modelUrl`. */
export interface OpenCodeServer extends AsyncDisposable {
  readonly workspace: string;
  /** Calls its HTTP API and returns the JSON reply, or undefined if the reply is empty. */
  call(method: "GET" | "POST", route: string, body?: unknown): Promise<unknown>;
}

export async function startOpenCode(modelUrl: string): Promise<OpenCodeServer> {
  const root = await mkdtemp(path.join(tmpdir(), "scripted-model-"));
  const workspace = path.join(root, "workspace");
  const home = path.join(root, "home");
  await Promise.all([mkdir(workspace), mkdir(home)]);

  // Asked for port 0, OpenCode takes a port that is free and prints it.
  const child = spawn(
    await findOpencodeBinary(),
    ["serve", "--port", "0", "--hostname", "127.0.0.1"],
    {
      cwd: workspace,
      env: environment(home, modelUrl),
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const exited = once(child, "exit");

  async function stop(): Promise<void> {
    child.kill("SIGKILL");
    await exited;
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }

  let baseUrl: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    baseUrl = /listening on (http:\S+)/u.exec(line)?.[1];
    if (baseUrl !== undefined) break;
  }
  if (baseUrl === undefined) {
    await stop();
    throw new Error("OpenCode ended before it was listening");
  }
  // Nobody reads on; without this a full pipe would block the server.
  child.stdout.resume();

  return {
    workspace,
    async call(method, route, body) {
      const response = await fetch(`${baseUrl}${route}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const reply = await response.text();
      if (!response.ok) throw new Error(`${method} ${route}: ${String(response.status)} ${reply}`);
      return reply === "" ? undefined : (JSON.parse(reply) as unknown);
    },
    [Symbol.asyncDispose]: stop,
  };
}

function environment(home: string, modelUrl: string): NodeJS.ProcessEnv {
  const config = {
    model: "anthropic/claude-opus-4-6",
    small_model: "anthropic/claude-haiku-4-5",
    provider: { anthropic: { options: { baseURL: modelUrl, apiKey: "unused" } } },
    permission: { question: "deny" },
    share: "disabled",
    autoupdate: false,
  };
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, "config"),
    XDG_DATA_HOME: path.join(home, "data"),
    XDG_STATE_HOME: path.join(home, "state"),
    XDG_CACHE_HOME: path.join(home, "cache"),
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    // Stops the background installation of a plugin package that no test needs.
    npm_config_offline: "true",
    npm_config_fetch_retries: "0",
  };
}
