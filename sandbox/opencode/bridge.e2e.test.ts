import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "#contracts/ids";
import type { SandboxSpec } from "../provider/spec.ts";
import { openLocalProvider, type LocalProvider } from "../providers/local/index.ts";
import { findSandboxProcesses } from "../providers/local/processes.ts";
import { killIfThere } from "../providers/local/testing/kill-if-there.ts";
import { startScriptedModel, type ScriptedModel } from "../scripted-model/index.ts";
import { openOpencodeClient } from "./client.ts";
import { isMessageOfPrompt, promptMessageId, promptPartId } from "./message-id.ts";
import { sendPrompt } from "./prompt.ts";
import { runTurn, untilTurnEnds } from "./testing/run-turn.ts";
import { transcriptView } from "./testing/transcript-view.ts";

/** Two boots and seven turns, on a machine that may be busy with other tests. */
const limitMs = 300_000;

let folder: string;
let model: ScriptedModel;
let provider: LocalProvider;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "proliferate-bridge-"));
  model = await startScriptedModel({ tokenDelayMs: 5 });
  provider = await openLocalProvider({
    dataDir: folder,
    isolation: "none",
    localRepositories: "refuse",
  });
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

test(
  "tools, an abort, and the death of the agent's server, as a real OpenCode tells them",
  async () => {
    const sessionId = newId("session");
    const spec: SandboxSpec = {
      repositories: [],
      gateway: { url: "http://127.0.0.1:9", token: "sbx1.test.token" },
      model: {
        model: "anthropic/claude-sonnet-4-6",
        smallModel: "anthropic/claude-haiku-4-5",
        baseUrl: model.url,
        apiKey: "the-sandboxes-own-key",
      },
      instructions: "Do as you are told.",
    };
    const sandbox = await provider.ensureSandbox({
      sessionId,
      sandboxId: null,
      snapshotId: null,
      spec,
    });
    const client = openOpencodeClient(sandbox.opencode);
    const { id: agentSessionId } = await client.createSession("Bridge");

    const parallel = transcriptView(
      (await runTurn({ client, agentSessionId, text: "Run two things in parallel" })).events,
    );
    const tools = [...parallel.messages.values()]
      .flatMap(({ parts }) => parts)
      .filter(({ kind }) => kind === "tool");
    expect(tools.map((part) => part.kind === "tool" && part.status)).toEqual([
      "completed",
      "completed",
    ]);
    expect(tools.map((part) => part.kind === "tool" && part.metadata)).toEqual([
      { exit: 0 },
      { exit: 0 },
    ]);
    expect(parallel.turns).toEqual(["turn_started", "turn_idle"]);

    const aborted = await runTurn({
      client,
      agentSessionId,
      text: "Answer slowly",
      onEvent: async (event) => {
        if (event.type === "text_delta") await client.abort(agentSessionId);
      },
    });
    const abortedView = transcriptView(aborted.events);
    expect(abortedView.turns).toEqual(["turn_started", "turn_aborted"]);
    expect([...abortedView.messages.values()].at(-1)?.failure?.code).toBe("agent_aborted");

    // The late idle of the aborted turn comes after this prompt was taken.
    const next = transcriptView(
      (await runTurn({ client, agentSessionId, text: "A greeting" })).events,
    );
    expect(next.turns).toEqual(["turn_started", "turn_idle"]);

    let killed = false;
    const lost = runTurn({
      client,
      agentSessionId,
      text: "Answer slowly again",
      onEvent: async (event) => {
        if (event.type !== "text_delta" || killed) return;
        killed = true;
        for (const { pid } of await findSandboxProcesses(sandbox.sandboxId)) killIfThere(pid);
      },
      limits: { unreachableMs: 1_000 },
    });
    await expect(lost).rejects.toMatchObject({ code: "agent_unreachable" });

    const resumed = await provider.ensureSandbox({
      sessionId,
      sandboxId: null,
      snapshotId: null,
      spec,
    });
    expect(resumed.origin).toBe("resumed");
    const again = openOpencodeClient(resumed.opencode);
    const recorded = [
      ...parallel.messages.keys(),
      ...abortedView.messages.keys(),
      ...next.messages.keys(),
    ];
    const closing = transcriptView(await untilTurnEnds(again, agentSessionId, new Set(recorded)));
    expect(closing.turns).toEqual(["turn_started", "turn_failed:agent_interrupted"]);
    expect([...closing.messages.values()].map(({ failure }) => failure?.code)).toEqual([
      "agent_interrupted",
    ]);

    const goOn = await runTurn({ client: again, agentSessionId, text: "A greeting once more" });
    expect(transcriptView(goOn.events).turns).toEqual(["turn_started", "turn_idle"]);
    const repeated = await sendPrompt({
      client: again,
      agentSessionId,
      promptId: goOn.promptId,
      text: "A greeting once more",
    });
    expect(repeated.sent).toBe(false);

    // The server took a prompt and died before it began to answer: the prompt is there, and nothing happens.
    const promptId = newId("prompt");
    const newest = (await again.messages(agentSessionId)).at(-1)?.info.id ?? "";
    const messageId = promptMessageId(promptId, { messageId: newest });
    const text = "The last greeting";
    await fetch(new URL(`/session/${agentSessionId}/message`, resumed.opencode.baseUrl), {
      method: "POST",
      headers: {
        authorization: resumed.opencode.authorization,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        messageID: messageId,
        noReply: true,
        parts: [{ id: promptPartId(messageId), type: "text", text }],
      }),
    });
    const known = new Set((await again.messages(agentSessionId)).map(({ info }) => info.id));
    expect(known).toContain(messageId);
    const resent = await sendPrompt({ client: again, agentSessionId, promptId, text });
    expect(resent.sent).toBe(true);
    expect(resent.messageId > messageId && isMessageOfPrompt(resent.messageId, promptId)).toBe(
      true,
    );
    const late = await untilTurnEnds(again, agentSessionId, known);
    expect(transcriptView(late).turns).toEqual(["turn_started", "turn_idle"]);
    const answers = late.filter((event) => event.type === "message_completed");
    expect(answers.map(({ parentId }) => parentId)).toEqual([resent.messageId]);
  },
  limitMs,
);
