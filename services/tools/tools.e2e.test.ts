/** The real agent calls the tools that its sandbox was given, and the gateway answers. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { provideEnvVariables } from "#contracts/http/environment";
import {
  createSession,
  deleteSession,
  getSession,
  listMessages,
  pauseSession,
  resumeSession,
} from "#contracts/http/sessions";
import { createConfiguration, getConfiguration } from "#contracts/http/configurations";
import type { ToolPart } from "#contracts/transcript/message";
import { loadAggregate } from "#event-store/aggregates/load";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import type { ExistingSession } from "../sessions/aggregate/state.ts";
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

it("an agent is given values in the middle of its turn, has them after a pause, and nothing stays", async () => {
  const { client, dataDir, program } = stack;
  const { sessionId } = await client.call(createSession, {
    body: { title: "In need", prompt: "Please hang" },
  });
  const params = { sessionId };
  /** What the agent finds in its file, whichever of this computer's folders that is in. */
  const given = async (): Promise<unknown> => {
    const files = await readdir(dataDir, { recursive: true });
    const file = files.find(
      (path) => path.includes(sessionId) && path.endsWith(join(".proliferate", "env.json")),
    );
    return file === undefined ? null : JSON.parse(await readFile(join(dataDir, file), "utf8"));
  };
  const give = (values: Record<string, string>) =>
    client.call(provideEnvVariables, { params, body: { values } });
  const statusIs = (status: string) =>
    vi.waitUntil(
      async () => (await client.call(getSession, { params })).status === status,
      patience,
    );
  await statusIs("running");
  await give({ TOKEN: "one" });
  await vi.waitFor(async () => expect(await given()).toEqual({ TOKEN: "one" }), patience);
  await give({ DATABASE_URL: "postgres://db", TOKEN: "two" });
  const both = { DATABASE_URL: "postgres://db", TOKEN: "two" };
  await vi.waitFor(async () => expect(await given()).toEqual(both), patience);

  await client.call(pauseSession, { params });
  await statusIs("paused");
  await give({ TOKEN: "three" });
  await client.call(resumeSession, { params });
  await vi.waitFor(
    async () => expect(await given()).toEqual({ ...both, TOKEN: "three" }),
    patience,
  );

  const kept = () => program.platform.sql`
    SELECT name FROM vault.secrets WHERE name LIKE ${`session/${sessionId}/%`}`;
  expect(await kept()).toHaveLength(2);
  await client.call(deleteSession, { params });
  await vi.waitFor(async () => expect(await kept()).toHaveLength(0), patience);
  expect(await given()).toBeNull();
}, 300_000);
