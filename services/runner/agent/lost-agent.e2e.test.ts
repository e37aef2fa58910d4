/** A real OpenCode in sandboxes of an emulated cloud, which live on without it, or end without a word. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createSession } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import type { EmulatedAccount } from "#sandbox/providers/e2b/testing/emulated-account";
import { readProcess } from "#sandbox/providers/local/processes";
import { openLiveWatch } from "../../demo/live-watch.ts";
import type { TestStack } from "../../testing/test-stack.ts";
import { type EmulatedCloud, startEmulatedCloud } from "../testing/emulated-cloud.ts";

const patience = { timeout: 120_000, interval: 100 };

let cloud: EmulatedCloud;
let stack: TestStack;
let account: EmulatedAccount;
beforeAll(async () => {
  cloud = await startEmulatedCloud({ tokenDelayMs: 100 });
  ({ stack, account } = cloud);
}, 120_000);
afterAll(() => cloud.close(), 120_000);

/** In the middle of an answer that takes a while. */
const answering = async () => {
  const { sessionId } = await stack.client.call(createSession, {
    headers: {},
    body: { title: "Loss", prompt: "Give me a slow answer." },
  });
  const told: string[] = [];
  const watch = openLiveWatch(stack.client, sessionId, (message) => {
    if (message.type === "status") told.push(message.status);
    if (message.type === "sandbox_warning") told.push(message.warning.code);
  });
  await vi.waitUntil(() => watch.tokens() > 5, patience);
  const before = told.length;
  /** What people are told from then on, until the agent is there again. */
  const toldUntilRunning = async (): Promise<readonly string[]> => {
    await vi.waitUntil(() => told.slice(before).includes("running"), patience);
    watch.close();
    return told.slice(before);
  };
  return { sessionId, toldUntilRunning };
};

const sandboxOf = (sessionId: SessionId) => {
  const { sandboxes } = account.emulator;
  const found = sandboxes
    .list()
    .find(({ metadata }) => Object.values(metadata).includes(sessionId));
  if (found === undefined) throw new Error("The session has no sandbox.");
  return found;
};

const pidOf = async (sessionId: SessionId, program: "opencode" | "sidecar"): Promise<number> => {
  const file = `${sandboxOf(sessionId).folder.home}/.proliferate/run/${program}.pid`;
  const pid = async () => Number((await readFile(file, "utf8").catch(() => "")).split(" ")[0]);
  await vi.waitUntil(async () => (await pid()) > 0, patience);
  return pid();
};

it("an agent that is killed is started again in its sandbox, and people are told", async () => {
  const { sessionId, toldUntilRunning } = await answering();
  const { id } = sandboxOf(sessionId);
  const sidecar = await pidOf(sessionId, "sidecar");
  process.kill(await pidOf(sessionId, "opencode"), "SIGKILL");
  expect(await toldUntilRunning()).toEqual(["starting", "agent_restarted", "running"]);
  expect(sandboxOf(sessionId).id).toBe(id);
  expect(await readProcess(sidecar)).not.toBeNull();
}, 300_000);

it("a sandbox that ends without a word is noticed by its silence, and replaced", async () => {
  const { sessionId, toldUntilRunning } = await answering();
  const { id } = sandboxOf(sessionId);
  await account.emulator.sandboxes.vanish(id);
  expect(await toldUntilRunning()).toEqual(["starting", "resume_failed", "running"]);
  expect(sandboxOf(sessionId).id).not.toBe(id);
}, 300_000);
