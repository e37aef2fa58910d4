import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { approveInvocation, getInvocation, invokeAction } from "#contracts/http/actions";
import { getMe, signIn } from "#contracts/http/identity";
import { createSession, listSessions } from "#contracts/http/sessions";
import type { Position } from "#contracts/position";
import { deriveSandboxToken } from "#sandbox/token";
import { type Client, createClient } from "./client/client.ts";
import { deriveKeys } from "./secrets/keys.ts";
import { findSecretsKey } from "./secrets-key.ts";

const program = fileURLToPath(new URL("main.ts", import.meta.url));

let dataDir: string;
let child: ChildProcess | undefined;
/** Where the program listens that was started last. */
let url = "";
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "proliferate-start-"));
});
afterEach(async () => {
  await end("SIGTERM");
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts the program as `npm start` does, and signs in with what it prints. */
const start = async (): Promise<Client> => {
  const started = spawn(
    process.execPath,
    ["--conditions=proliferate-source", "--import", "tsx", program],
    {
      env: {
        ...process.env,
        DATA_DIR: dataDir,
        PORT: "0",
        FANOUT_PORT: "0",
        ANTHROPIC_API_KEY: "",
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  child = started;
  const printed: string[] = [];
  for await (const line of createInterface(started.stdout)) {
    printed.push(line);
    const [, baseUrl, token] = /(http:\S+)\/#token=(\S+)/.exec(line) ?? [];
    if (baseUrl !== undefined && token !== undefined) {
      started.stdout.resume();
      url = baseUrl;
      const { accessToken } = await createClient({ baseUrl }).call(signIn, { body: { token } });
      return createClient({ baseUrl, accessToken });
    }
  }
  throw new Error(`The program ended after it had printed: ${printed.join("\n")}`);
};

const end = async (signal: NodeJS.Signals): Promise<number | null> => {
  if (!child || child.exitCode !== null || child.signalCode !== null) {
    return child?.exitCode ?? null;
  }
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
  return child.exitCode;
};

/** The processes that have the data folder in their command line or environment. */
const leftovers = async (): Promise<string[]> => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  // A process may end between the two reads.
  const read = (file: string) => readFile(file, "utf8").catch(() => "");
  const processes = await Promise.all(
    pids.map(async (pid) => [
      await read(`/proc/${pid}/cmdline`),
      await read(`/proc/${pid}/environ`),
    ]),
  );
  return processes
    .filter((texts) => texts.some((text) => text.includes(dataDir)))
    .map(([command = ""]) => command);
};

const titles = async (client: Client, after: Position): Promise<string[]> =>
  (await client.call(listSessions, { query: { after } })).sessions.map(({ title }) => title);

describe("npm start", () => {
  it("keeps what was said through kill -9 and an orderly end, and leaves no process behind", async () => {
    const first = await start();
    const body = { title: "Survives" };
    const { position } = await first.call(createSession, { headers: {}, body });
    await end("SIGKILL");

    const second = await start();
    expect(await titles(second, position)).toEqual(["Survives"]);
    expect(await end("SIGTERM")).toBe(0);
    expect(await leftovers()).toEqual([]);

    const third = await start();
    expect(await titles(third, position)).toEqual(["Survives"]);
    expect(await end("SIGINT")).toBe(0);
    expect(await leftovers()).toEqual([]);
  }, 240_000);

  it("lets an action that waits for a person wait through the end of everything", async () => {
    const first = await start();
    const me = await first.call(getMe);
    const { sessionId } = await first.call(createSession, { body: { title: "Waits" } });
    const agent = createClient({
      baseUrl: url,
      accessToken: deriveSandboxToken({
        secret: deriveKeys((await findSecretsKey(dataDir)) ?? "").sandboxTokens,
        sessionId,
        organizationId: me.organizationId,
      }),
    });
    const { invocation } = await agent.call(invokeAction, {
      params: { sessionId },
      body: { integration: "demo", action: "publish_release", params: { version: "3.0.0" } },
    });
    expect(invocation.status).toBe("pending");
    expect(await end("SIGTERM")).toBe(0);
    expect(await leftovers()).toEqual([]);

    const params = { sessionId, invocationId: invocation.id };
    const second = await start();
    expect(await second.call(getInvocation, { params })).toMatchObject({ status: "pending" });
    await second.call(approveInvocation, { params, body: { scope: "once" } });
    await vi.waitFor(
      async () =>
        expect(await second.call(getInvocation, { params })).toMatchObject({ status: "completed" }),
      { timeout: 30_000, interval: 100 },
    );
  }, 240_000);
});
