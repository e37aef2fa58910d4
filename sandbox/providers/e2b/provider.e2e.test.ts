import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "#contracts/ids";
import { findOpencodeBinary } from "../../opencode/binary.ts";
import { openOpencodeClient } from "../../opencode/client.ts";
import { runTurn } from "../../opencode/testing/run-turn.ts";
import { transcriptView } from "../../opencode/testing/transcript-view.ts";
import {
  defaultScenarios,
  startScriptedModel,
  type ScriptedModel,
} from "../../scripted-model/index.ts";
import { findSandboxProcesses } from "../local/processes.ts";
import { openE2bProvider } from "./index.ts";
import { openEmulatedAccount, type EmulatedAccount } from "./testing/emulated-account.ts";

/** A boot and two turns of a real OpenCode, on a machine that may be busy with other tests. */
const limitMs = 300_000;

let account: EmulatedAccount;
let model: ScriptedModel;
beforeAll(async () => {
  account = await openEmulatedAccount(await findOpencodeBinary());
  model = await startScriptedModel({ scenarios: defaultScenarios, tokenDelayMs: 1 });
});
afterAll(async () => {
  await account[Symbol.asyncDispose]();
  await model.close();
});

test(
  "a real agent answers through its tunnel, sleeps through a pause, and goes on",
  async () => {
    const provider = openE2bProvider(account.settings);
    const ref = { sessionId: newId("session"), sandboxId: null, snapshotId: null };
    const spec = {
      repositories: [{ url: account.repositoryUrl, ref: "feature", path: "." }],
      gateway: { url: "http://127.0.0.1:9", token: "sbx1.test.token" },
      model: {
        model: "anthropic/claude-sonnet-4-6",
        smallModel: "anthropic/claude-haiku-4-5",
        baseUrl: model.url,
        apiKey: "the-sandboxes-own-key",
      },
      instructions: "Be kind.",
    };
    const created = await provider.ensureSandbox({ ...ref, spec });
    const client = openOpencodeClient(created.opencode);
    const { id: agentSessionId } = await client.createSession("Greeting");
    const ask = async () => {
      const { events } = await runTurn({ client, agentSessionId, text: "A greeting, please" });
      const { turns, messages } = transcriptView(events);
      expect(turns).toEqual(["turn_started", "turn_idle"]);
      return [...messages.values()].flatMap(({ parts }) => parts.map(({ kind }) => kind));
    };
    expect(await ask()).toContain("text");

    await provider.pause(ref);
    await expect(client.getSession(agentSessionId)).rejects.toThrow();
    const resumed = await provider.ensureSandbox({ ...ref, spec });
    expect(resumed).toMatchObject({ origin: "resumed", opencode: created.opencode });
    expect(await ask()).toContain("text");

    await provider.terminate(ref);
    expect(await findSandboxProcesses(created.sandboxId)).toEqual([]);
    await provider[Symbol.asyncDispose]();
  },
  limitMs,
);
