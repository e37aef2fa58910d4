import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import { openOpencodeClient } from "../../opencode/client.ts";
import { sendPrompt } from "../../opencode/prompt.ts";
import { runTurn } from "../../opencode/testing/run-turn.ts";
import { transcriptView } from "../../opencode/testing/transcript-view.ts";
import type { RunningSandbox } from "../../provider/sandbox.ts";
import type { SandboxSpec } from "../../provider/spec.ts";
import {
  defaultScenarios,
  startScriptedModel,
  type ScenarioInput,
  type ScriptedModel,
} from "../../scripted-model/index.ts";
import { openLocalProvider, type LocalProvider } from "./index.ts";
import { probeIsolation } from "./isolation.ts";
import { findSandboxProcesses } from "./processes.ts";
import { searchPath } from "./readable-paths.ts";
import { makeRepository } from "../../testing/repository.ts";

/** Leaves a process behind that has left OpenCode's process group and session. */
const strayChild: ScenarioInput = {
  name: "stray-child",
  select: { by: "contains", anyOf: ["stray child"] },
  steps: [
    {
      kind: "answer",
      text: "I start it.",
      toolCalls: [
        {
          name: "bash",
          input: {
            command:
              "setsid sleep 86400 </dev/null >/dev/null 2>&1 & cat README.md; command -v proliferate",
            description: "Leaves a child behind",
          },
        },
      ],
    },
    { kind: "answer", text: "It said: {{lastToolResult}}" },
  ],
};

const bubblewrap = process.env["BWRAP"] ?? "bwrap";
const usable = await probeIsolation({
  choice: "auto",
  command: bubblewrap,
  searchPath: searchPath(),
});
const isolations =
  usable.kind === "bubblewrap" ? (["none", "bubblewrap"] as const) : (["none"] as const);

const commandLines = async (sandboxId: string): Promise<string[]> => {
  const processes = await findSandboxProcesses(sandboxId);
  const read = ({ pid }: { pid: number }) => readFile(`/proc/${pid}/cmdline`, "utf8");
  return (await Promise.all(processes.map(read))).map((line) => line.split("\0").join(" ").trim());
};

/** Two boots and three turns, on a machine that may be busy with other tests. */
const limitMs = 300_000;

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel({
    scenarios: [strayChild, ...defaultScenarios],
    tokenDelayMs: 1,
  });
});
afterAll(() => model.close());

describe.each(isolations)("a local sandbox with isolation %s", (isolation) => {
  let folder: string;
  let spec: SandboxSpec;
  const providers: LocalProvider[] = [];

  /** Another one on the same folder is what a restarted control plane has. */
  const openProvider = async (): Promise<LocalProvider> => {
    const provider = await openLocalProvider({
      dataDir: path.join(folder, "data"),
      isolation,
      bubblewrap,
      localRepositories: "allow",
    });
    providers.push(provider);
    return provider;
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "proliferate-local-"));
    spec = {
      repositories: [
        { url: await makeRepository(path.join(folder, "fixture")), ref: "feature", path: "." },
      ],
      gateway: { url: "http://127.0.0.1:9", token: "sbx1.test.token" },
      model: {
        model: "anthropic/claude-sonnet-4-6",
        smallModel: "anthropic/claude-haiku-4-5",
        baseUrl: model.url,
        apiKey: "the-sandboxes-own-key",
      },
      instructions: "You work on the fixture.",
    };
  });
  afterEach(async () => {
    await Promise.all(providers.splice(0).map((provider) => provider[Symbol.asyncDispose]()));
    await rm(folder, { recursive: true, force: true });
  });

  const clientOf = (sandbox: RunningSandbox) => openOpencodeClient(sandbox.opencode);

  test(
    "boots, answers, is found again, is paused, goes on, and leaves nothing",
    async () => {
      const sessionId: SessionId = newId("session");
      const first = await openProvider();
      const ref = { sessionId, sandboxId: null, snapshotId: null };
      expect((await first.health(ref)).state).toBe("gone");

      const stages: string[] = [];
      const created = await first.ensureSandbox({
        ...ref,
        spec,
        onStage: ({ stage }) => stages.push(stage),
      });
      expect(created.origin).toBe("created");
      expect(stages).toEqual(["folder", "launch", "clone", "agent_files", "ready"]);
      const [readme] = await first.readFiles(ref, ["README.md"]);
      expect(Buffer.from(readme?.content ?? []).toString()).toBe("on feature\n");

      const agentSession = await clientOf(created).createSession("Greeting");
      const greeting = await runTurn({
        client: clientOf(created),
        agentSessionId: agentSession.id,
        text: "A greeting, please",
      });
      const view = transcriptView(greeting.events);
      expect(view.turns).toEqual(["turn_started", "turn_idle"]);
      const [answer] = view.messages.values();
      const spoken = answer?.parts.find((part) => part.kind === "text");
      expect(spoken?.text.length).toBeGreaterThan(20);
      expect(view.streamed.get(spoken?.id ?? "")).toBe(spoken?.text);

      // A prompt that is sent again by an owner that does not know whether it was sent.
      const again = {
        client: clientOf(created),
        agentSessionId: agentSession.id,
        promptId: greeting.promptId,
      };
      expect(await sendPrompt({ ...again, text: "A greeting, please" })).toEqual({
        messageId: greeting.sent.messageId,
        sent: false,
      });

      // The control plane dies and comes back: the agent has not noticed.
      const second = await openProvider();
      expect(await second.checkSandboxes()).toEqual([
        { sessionId, sandboxId: created.sandboxId, state: "running" },
      ]);
      const attached = await second.ensureSandbox({ ...ref, spec });
      expect(attached.origin).toBe("attached");
      expect(attached.opencode).toEqual(created.opencode);

      await second.execCommand(ref, ["tee", "README.md"], { stdin: "changed by the agent\n" });
      // A link out of the sandbox, as an agent could make one.
      const secret = path.join(folder, "secret");
      await writeFile(secret, "the control plane's own");
      await second.execCommand(ref, ["ln", "-s", secret, "link"]);
      const [link] = await second.readFiles(ref, ["link"]);
      expect(second.capabilities.isolated).toBe(isolation === "bubblewrap");
      expect(link?.content && Buffer.from(link.content).toString()).toBe(
        isolation === "bubblewrap" ? null : "the control plane's own",
      );

      await second.pause(ref);
      expect(await findSandboxProcesses(created.sandboxId)).toEqual([]);
      await expect(fetch(created.opencode.baseUrl)).rejects.toThrow();
      expect((await second.health(ref)).state).toBe("paused");

      const resumed = await second.ensureSandbox({ ...ref, spec });
      expect(resumed.origin).toBe("resumed");
      const remembered = await clientOf(resumed).messages(agentSession.id);
      expect(remembered.map(({ info }) => info.id)).toContain(answer?.id);

      const stray = await runTurn({
        client: clientOf(resumed),
        agentSessionId: agentSession.id,
        text: "Leave a stray child",
      });
      const tool = [...transcriptView(stray.events).messages.values()]
        .flatMap(({ parts }) => parts)
        .find((part) => part.kind === "tool");
      expect(tool).toMatchObject({ status: "completed" });
      expect(tool?.output).toContain("changed by the agent");
      expect(tool?.output).toContain(".local/bin/proliferate");

      expect(await commandLines(created.sandboxId)).toContain("sleep 86400");

      await second.terminate(ref);
      expect(await findSandboxProcesses(created.sandboxId)).toEqual([]);
      await expect(fetch(resumed.opencode.baseUrl)).rejects.toThrow();
      expect((await second.health(ref)).state).toBe("gone");
      expect(existsSync(path.join(folder, "data", "sandboxes", sessionId))).toBe(false);
      await second.terminate(ref);
    },
    limitMs,
  );
});
