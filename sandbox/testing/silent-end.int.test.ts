/** A cloud's sandbox that ends without a word: its connections stay open, and its provider is asked once. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { newId } from "#contracts/ids";
import { isHealthy } from "../boot/readiness.ts";
import type { SandboxProvider } from "../provider/provider.ts";
import type { SandboxSpec } from "../provider/spec.ts";
import { untilGone } from "../provider/until-gone.ts";
import { openE2bProvider } from "../providers/e2b/index.ts";
import { openEmulatedAccount } from "../providers/e2b/testing/emulated-account.ts";
import { providerOn } from "../providers/modal/testing/provider-on.ts";
import { makeAgentStandIn } from "./agent-stand-in.ts";
import { openModalEmulator } from "./modal-emulator/index.ts";

interface Cloud extends AsyncDisposable {
  readonly provider: SandboxProvider;
  vanish(sandboxId: string): Promise<void>;
}

const e2b = async (): Promise<Cloud> => {
  const account = await openEmulatedAccount();
  const provider = openE2bProvider(account.settings);
  return {
    provider,
    vanish: (id) => account.emulator.sandboxes.vanish(id),
    [Symbol.asyncDispose]: async () => {
      await provider[Symbol.asyncDispose]();
      await account[Symbol.asyncDispose]();
    },
  };
};

const modal = async (): Promise<Cloud> => {
  const folder = await mkdtemp(path.join(tmpdir(), "proliferate-silent-end-"));
  const opencode = await makeAgentStandIn(folder);
  const emulator = await openModalEmulator({ programs: { opencode } });
  const provider = providerOn(emulator);
  return {
    provider,
    vanish: (id) => emulator.vanish(id),
    [Symbol.asyncDispose]: async () => {
      await provider[Symbol.asyncDispose]();
      await emulator[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const spec: SandboxSpec = {
  repositories: [],
  gateway: { url: "http://127.0.0.1:9", token: "sbx1.test.token" },
  model: {
    model: "anthropic/x",
    smallModel: "anthropic/x",
    baseUrl: "http://127.0.0.1:9",
    apiKey: "the-sandboxes-own-key",
  },
  instructions: "None.",
};

test.each([
  ["E2B", e2b],
  ["Modal", modal],
])(
  "is noticed at %s, and a new one takes its place",
  async (_, open) => {
    await using cloud = await open();
    const { provider } = cloud;
    const ref = { sessionId: newId("session"), sandboxId: null, snapshotId: null };
    const sandbox = await provider.ensureSandbox({ ...ref, spec });
    const known = { ...ref, sandboxId: sandbox.sandboxId };
    const answered: boolean[] = [];
    const asked: string[] = [];
    const gone = untilGone({
      answers: async (withinMs) => {
        const answers = await isHealthy(sandbox.opencode, AbortSignal.timeout(withinMs));
        answered.push(answers);
        return answers;
      },
      isGone: async () => {
        const { state } = await provider.health(known);
        asked.push(state);
        return state !== "running";
      },
      isAwaited: () => true,
      signal: new AbortController().signal,
    });
    const vanishedAt = performance.now();
    await cloud.vanish(sandbox.sandboxId);
    expect(await gone).toBe(true);
    process.stderr.write(`noticed after ${Math.round(performance.now() - vanishedAt)} ms\n`);
    expect(answered.slice(-2)).toEqual([false, false]);
    expect(asked.at(-1)).toBe("gone");

    const recovered = await provider.ensureSandbox({ ...known, spec });
    expect(recovered.sandboxId).not.toBe(sandbox.sandboxId);
    expect(recovered.warnings.map(({ code }) => code)).toEqual(["resume_failed"]);
    expect(await isHealthy(recovered.opencode)).toBe(true);
    await provider.terminate({ ...ref, sandboxId: recovered.sandboxId });
  },
  300_000,
);
