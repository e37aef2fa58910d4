/** The real agent calls the tools that its sandbox was given, and the gateway answers. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createConfiguration, getConfiguration } from "#contracts/http/configurations";
import { createSession, listMessages } from "#contracts/http/sessions";
import type { ToolPart } from "#contracts/transcript/message";
import { loadAggregate } from "#event-store/load";
import { sessionAggregate } from "../sessions/decider.ts";
import type { ExistingSession } from "../sessions/state.ts";
import { startTestStack, type TestStack } from "../testing/test-stack.ts";

const patience = { timeout: 150_000, interval: 200 };

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
}, 120_000);
afterAll(() => stack.close(), 120_000);

it("a setup session's agent records its services and has a snapshot taken in the middle of its turn", async () => {
  const { configurationId } = await stack.client.call(createConfiguration, {
    body: { name: "Shop" },
  });
  const { sessionId, position: after } = await stack.client.call(createSession, {
    headers: {},
    body: { title: "Set up", kind: "setup", configurationId, prompt: "Please save the setup." },
  });
  const messages = await vi.waitUntil(async () => {
    const answer = await stack.client.call(listMessages, {
      params: { sessionId },
      query: { after },
    });
    return answer.messages.at(-1)?.finish === "stop" && answer.messages;
  }, patience);

  const calls = messages
    .flatMap(({ parts }) => parts)
    .filter((part): part is ToolPart => part.kind === "tool");
  expect(calls).toMatchObject([
    { tool: "save_service_commands", status: "completed", error: null },
    {
      tool: "save_snapshot",
      status: "completed",
      output: expect.stringMatching(/saved as snap-/) as unknown,
    },
  ]);
  const { state } = await loadAggregate(stack.program.platform.store, sessionAggregate, {
    organization: stack.organization,
    id: sessionId,
  });
  const { serviceCommands, snapshots, snapshotId } = state as ExistingSession;
  expect(serviceCommands).toEqual([{ name: "web", command: "node server.mjs" }]);
  expect(snapshots).toMatchObject([{ snapshotId: expect.stringMatching(/^snap-/) as unknown }]);
  expect(snapshots).toMatchObject([{ snapshotId }]);

  // What the setup session has found out is what the configuration's next sessions begin with.
  const configuration = await vi.waitUntil(async () => {
    const params = { configurationId };
    const view = await stack.client.call(getConfiguration, { params });
    return view.setup.status === "done" && view;
  }, patience);
  expect(configuration).toMatchObject({ serviceCommands, snapshot: { snapshotId } });
}, 300_000);
