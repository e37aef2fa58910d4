/** A real OpenCode in sandboxes of an emulated cloud, which live on without it, or end without a word. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createSession } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import { openLeases } from "#event-store/leases/leases";
import { findOpencodeBinary } from "#sandbox/opencode/binary";
import { openE2bProvider } from "#sandbox/providers/e2b/index";
import {
  openEmulatedAccount,
  type EmulatedAccount,
} from "#sandbox/providers/e2b/testing/emulated-account";
import { readProcess } from "#sandbox/providers/local/processes";
import { startScriptedModel, type ScriptedModel } from "#sandbox/scripted-model/index";
import { openLiveWatch } from "../../demo/live-watch.ts";
import { type Running, runningStack } from "../../running.ts";
import { startTestStack, type TestStack } from "../../testing/test-stack.ts";
import { openSecrets } from "../../secrets/secrets.ts";
import { startRunner } from "../runner.ts";
import { openSessionParts } from "../session-parts.ts";

const patience = { timeout: 120_000, interval: 100 };

const started = runningStack();
let stack: TestStack;
let account: EmulatedAccount;
beforeAll(async () => {
  const model: ScriptedModel = await startScriptedModel({ tokenDelayMs: 100 });
  started.add({ stop: () => model.close() });
  account = await openEmulatedAccount(await findOpencodeBinary());
  started.add(disposing(account));
  stack = await startTestStack({ ROLES: "projector,worker,fanout,gateway" });
  started.add({ stop: () => stack.close() });
  const provider = openE2bProvider(account.settings);
  started.add(disposing(provider));
  const { platform } = stack.program;
  const { store, log } = platform;
  const runner = await startRunner({
    ...{ store, log, provider },
    instance: "runner-of-the-test",
    leases: await openLeases(store, "owner"),
    ...(await openSessionParts(platform, {
      registry: { sourcesOf: () => Promise.resolve([]) },
      secrets: await openSecrets(platform.sql, platform.keys.secretWrapping),
    })),
    specOf: () => ({
      repositories: [],
      gateway: { url: stack.url, token: "sbx1.test.token" },
      model: {
        model: "anthropic/claude-sonnet-4-6",
        smallModel: "anthropic/claude-haiku-4-5",
        baseUrl: model.url,
        apiKey: "the-sandboxes-own-key",
      },
      instructions: "Be kind.",
    }),
  });
  started.add(runner);
}, 120_000);
afterAll(() => started.stop(), 120_000);

const disposing = (opened: AsyncDisposable): Running => ({
  stop: async () => {
    await opened[Symbol.asyncDispose]();
  },
});

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
