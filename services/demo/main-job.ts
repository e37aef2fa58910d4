/** The main job, from an empty organisation to a replayed history, through the public API alone. */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { approveInvocation, getInvocation } from "#contracts/http/actions";
import {
  createSession,
  getSession,
  listMessages,
  pauseSession,
  promptSession,
} from "#contracts/http/sessions";
import type { InvocationId, SessionId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import { createClient, type Client } from "../client/client.ts";
import type { Program } from "../start-program.ts";
import { openLiveWatch, type LiveWatch } from "./live-watch.ts";
import { poll } from "./poll.ts";
import { replayHistory } from "./replay-history.ts";
import { createRepositoryFixture } from "./repository-fixture.ts";
import type { Timeline } from "./timeline.ts";
import { runWebhook } from "./webhook.ts";

export interface DemoResult {
  readonly ok: true;
  readonly session: SessionId;
  readonly commits: number;
  readonly tokens: number;
  readonly approvals: number;
  readonly replayIdentical: boolean;
  readonly chainVerified: boolean;
  readonly resumed: boolean;
  readonly webhookRuns: number;
  readonly firstTokenMs: number;
  readonly bootMs: number;
  readonly totalMs: number;
}

type Of<T extends LiveMessage["type"]> = Extract<LiveMessage, { type: T }>;
const isA =
  <T extends LiveMessage["type"]>(type: T, also: (message: Of<T>) => boolean = () => true) =>
  (message: LiveMessage): message is Of<T> =>
    message.type === type && also(message as Of<T>);

const expectThat = (condition: boolean, otherwise: string): void => {
  if (!condition) {
    throw new Error(`The demo failed: ${otherwise}.`);
  }
};

export interface MainJobOptions {
  readonly program: Program;
  readonly dataDir: string;
  readonly timeline: Timeline;
  readonly startedAt: number;
}

/** Runs the job; throws at the first thing that is not as it should be. */
export const runMainJob = async (options: MainJobOptions): Promise<DemoResult> => {
  const { program, dataDir, timeline, startedAt } = options;
  const client = await signInAsOwner(program);
  timeline.step("An organisation, its owner and a user who is signed in");
  const repository = await createRepositoryFixture(join(dataDir, "repository"));
  timeline.step("A git repository with a failing test");

  const session = await openSessionTwice(client, repository);
  timeline.step(`Session ${session}, asked for twice with one key: it is one session`);
  const watch = openLiveWatch(client, session, (message) => tellAgent(timeline, message));
  await watch.init;
  timeline.step("A WebSocket client watches it");
  await watch.waitFor(isA("status", ({ status }) => status === "running"));
  const bootMs = await bootMsOf(client, session, startedAt);
  timeline.step("The sandbox is up: cloned, configured, OpenCode ready");

  const answered = await answerWithApproval(client, { session, watch, timeline });
  const before = await transcriptOf(client, session);
  timeline.step(`The transcript has ${before.length} messages, read from Postgres`);

  const history = await replayHistory(program, session);
  timeline.step(
    `Replayed ${history.commits} commits into a fresh schema: ` +
      `${history.identical ? "identical" : "different"}, hash chain ${history.chainVerified ? "verified" : "broken"}`,
  );
  const resumed = await pauseAndResume(client, { session, watch, timeline, before });
  const webhookRuns = await runWebhook(client, program, timeline);
  watch.close();
  expectThat(history.identical, "the replayed history differs");
  expectThat(history.chainVerified, "the hash chain is broken");
  expectThat(resumed, "the transcript was not whole after the pause");
  expectThat(webhookRuns === 1, `the webhook started ${webhookRuns} runs`);
  return {
    ok: true,
    session,
    commits: history.commits,
    tokens: watch.tokens(),
    approvals: 1,
    replayIdentical: history.identical,
    chainVerified: history.chainVerified,
    resumed,
    webhookRuns,
    firstTokenMs: answered.firstTokenMs,
    bootMs,
    totalMs: Math.round(performance.now() - startedAt),
  };
};

const signInAsOwner = async ({ gateway }: Program): Promise<Client> => {
  if (!gateway) {
    throw new Error("The demo needs a gateway.");
  }
  const owner = await gateway.identity.createOrganization({
    name: "Demo",
    owner: { email: "demo@localhost.localdomain", name: "Demo Owner" },
  });
  const { accessToken } = await gateway.identity.signIn(
    await gateway.identity.issueSignInToken(owner.id),
  );
  return createClient({ baseUrl: gateway.url, accessToken });
};

const openSessionTwice = async (client: Client, repository: string): Promise<SessionId> => {
  const open = () =>
    client.call(createSession, {
      headers: { "idempotency-key": "the-demo" },
      body: { title: "Repair the sum", repository: { url: repository, ref: "main" } },
    });
  const [first, second] = [await open(), await open()];
  expectThat(first.sessionId === second.sessionId, "the same key opened two sessions");
  return first.sessionId;
};

const bootMsOf = async (
  client: Client,
  sessionId: SessionId,
  startedAt: number,
): Promise<number> => {
  await poll("the session to run", async () => {
    const { status } = await client.call(getSession, { params: { sessionId }, query: {} });
    return status === "running";
  });
  return Math.round(performance.now() - startedAt);
};

interface InSession {
  readonly session: SessionId;
  readonly watch: LiveWatch;
  readonly timeline: Timeline;
}

const answerWithApproval = async (
  client: Client,
  { session, watch, timeline }: InSession,
): Promise<{ readonly firstTokenMs: number }> => {
  const askedAt = performance.now();
  const { promptId } = await client.call(promptSession, {
    params: { sessionId: session },
    headers: {},
    body: { text: "Fix the failing test, then publish the release 1.0.0." },
  });
  await watch.waitFor(isA("token"));
  const firstTokenMs = Math.round(performance.now() - askedAt);

  const request = await watch.waitFor(isA("action_approval_request"));
  timeline.step(`Approval asked for ${request.integration}.${request.action}`);
  await approve(client, session, request.invocationId);
  timeline.step("An admin approves it over HTTP");
  const finished = await watch.waitFor(
    isA("prompt_finished", (message) => message.promptId === promptId),
  );
  expectThat(finished.outcome === "completed", `the prompt ended as ${finished.outcome}`);
  const invocation = await poll("the action to complete", async () => {
    const view = await client.call(getInvocation, {
      params: { sessionId: session, invocationId: request.invocationId },
      query: {},
    });
    return view.status === "completed" && view;
  });
  timeline.step(`The action ran: ${JSON.stringify(invocation.result)}`);
  return { firstTokenMs };
};

const approve = async (
  client: Client,
  sessionId: SessionId,
  invocationId: InvocationId,
): Promise<void> => {
  await client.call(approveInvocation, {
    params: { sessionId, invocationId },
    body: { scope: "once" },
  });
};

const transcriptOf = async (client: Client, sessionId: SessionId) => {
  const messages = await poll("the whole transcript", async () => {
    const page = await client.call(listMessages, { params: { sessionId }, query: {} });
    const last = page.messages.at(-1);
    return last?.role === "assistant" && last.finish === "stop" && page.messages;
  });
  expectThat(
    messages.some(({ parts }) =>
      parts.some((part) => part.kind === "text" && part.text.includes("published")),
    ),
    "the agent did not report the published release",
  );
  return messages;
};

const pauseAndResume = async (
  client: Client,
  { session, watch, timeline, before }: InSession & { readonly before: readonly unknown[] },
): Promise<boolean> => {
  await client.call(pauseSession, { params: { sessionId: session } });
  await watch.waitFor(isA("status", ({ status }) => status === "paused"));
  await poll("the session to be paused", async () => {
    const { status } = await client.call(getSession, { params: { sessionId: session }, query: {} });
    return status === "paused";
  });
  timeline.step("Paused: the sandbox's processes are gone");
  const again = openLiveWatch(client, session, () => undefined);
  try {
    const init = await again.init;
    await again.waitFor(isA("status", ({ status }) => status === "running"));
    const whole = isDeepStrictEqual(init.messages, before);
    timeline.step(
      `A new connection resumes it; the transcript is ${whole ? "all there" : "not whole"}`,
    );
    return whole;
  } finally {
    again.close();
  }
};

const tellAgent = (timeline: Timeline, message: LiveMessage): void => {
  if (message.type === "boot_stage") {
    timeline.agent(`boot: ${message.stage} (${Math.round(message.ms)} ms)`);
  } else if (message.type === "tool" && message.part.status === "completed") {
    timeline.agent(`${message.part.tool}: ${message.part.title ?? message.part.status}`);
  } else if (message.type === "message" && message.message.role === "assistant") {
    for (const part of message.message.parts) {
      if (part.kind === "text") {
        timeline.agent(`“${part.text.split("\n", 1)[0] ?? ""}”`);
      }
    }
  }
};
