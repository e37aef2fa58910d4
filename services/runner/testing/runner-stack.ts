/**
 * The program but for its runners, which are processes of their own on stand-in sandboxes: to kill them, to
 * hold them up, and to see afterwards that nothing was lost, doubled or forgotten.
 */
import { expect, vi } from "vitest";
import WebSocket from "ws";
import {
  createSession,
  getSession,
  listMessages,
  openLiveChannel,
  promptSession,
} from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import { foldStreaming, type Streaming } from "#contracts/live/streaming";
import type { SessionEvent } from "#contracts/session/events";
import type { Message } from "#contracts/transcript/message";
import { domainEventsOf } from "#event-store/aggregates/domain-events";
import { readAggregate } from "#event-store/reading/read-aggregate";
import { watchSession } from "../../client/watch-session.ts";
import { runningStack } from "../../running.ts";
import { startTestStack, type TestStack } from "../../testing/test-stack.ts";
import { answerOf } from "./agent-conversation.ts";
import { type RunnerProcess, startRunnerProcess } from "./runner-process.ts";
import { type SandboxHost, startSandboxHost } from "./sandbox-host.ts";

/** A message that a killed runner had in its hands is handed out again only after 10 s. */
export const patience = { timeout: 120_000, interval: 50 };

/** Long enough for a busy machine to renew in time; a killed runner's sessions are taken after it. */
const leaseTtlMs = 6_000;

const program = new URL("./hosted-runner.ts", import.meta.url);
const diesSending = new URL("./dies-sending.mjs", import.meta.url).href;

/** What one who watches a session has seen. */
export interface Watcher {
  /** Resolves when it has been told how the session stands: from then on it misses nothing. */
  readonly opened: Promise<void>;
  /** How the session stood at first, and then each change. */
  readonly statuses: readonly string[];
  /** Whole messages in the order of their arrival, each as it was told last. */
  messages(): readonly Message[];
  /** What was streamed of a message by the time at which it came as a whole. */
  streamed(messageId: string): string | undefined;
  close(): void;
}

export interface RunnerStack {
  readonly stack: TestStack;
  readonly host: SandboxHost;
  startRunner(settings?: Readonly<Record<string, string>>): Promise<RunnerProcess>;
  /** Starts a runner that dies, as by SIGKILL, in place of telling those who watch what begins with these fields. */
  startMortal(told: object, settings?: Readonly<Record<string, string>>): Promise<RunnerProcess>;
  /** Stops, as a deployment does, those that still run. */
  endRunners(): Promise<void>;
  create(prompt?: string): Promise<SessionId>;
  ask(sessionId: SessionId, prompt: string): Promise<void>;
  watch(sessionId: SessionId): Watcher;
  status(sessionId: SessionId): Promise<string>;
  events(sessionId: SessionId): Promise<readonly SessionEvent[]>;
  /** Waits until the prompts are answered, and says whether everything is as it has to be. */
  expectAnswered(sessionId: SessionId, asked: readonly string[], watcher: Watcher): Promise<void>;
  close(): Promise<void>;
}

export const startRunnerStack = async (
  settings: Readonly<Record<string, string>> = {},
): Promise<RunnerStack> => {
  const started = runningStack();
  const host = await startSandboxHost();
  started.add({ stop: () => host.close() });
  const stack = await startTestStack({ ROLES: "projector,worker,fanout,gateway", ...settings });
  started.add({ stop: () => stack.close() });
  const { client, organization } = stack;
  const runners: RunnerProcess[] = [];
  const { store } = stack.program.platform;

  const view = (sessionId: SessionId) =>
    client.call(getSession, { params: { sessionId }, query: {} });

  const events = async (id: SessionId): Promise<readonly SessionEvent[]> => {
    const found: SessionEvent[] = [];
    const ref = { organization, aggregate: "session", id } as const;
    for await (const { commit } of readAggregate(store, ref)) {
      found.push(...(domainEventsOf(commit) as SessionEvent[]));
    }
    return found;
  };

  const watch = (sessionId: SessionId): Watcher => {
    const messages = new Map<string, Message>();
    const statuses: string[] = [];
    const see = (status: string): void => {
      if (statuses.at(-1) !== status) statuses.push(status);
    };
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const streamed = new Map<string, string>();
    let streaming: Streaming = [];
    const watching = watchSession({
      openSocket: async () => (await client.call(openLiveChannel, { params: { sessionId } })).url,
      WebSocket,
      onFrame: (frame) => {
        if (frame.type === "init") {
          see(frame.status);
          open();
          messages.clear();
          streaming = frame.streaming;
          for (const { index: _index, at: _at, author: _author, ...message } of frame.messages) {
            messages.set(message.id, message);
          }
        }
        if (frame.type !== "live") return;
        if (frame.message.type === "status") see(frame.message.status);
        if (frame.message.type === "message") {
          const { author: _author, ...message } = frame.message.message;
          messages.set(message.id, message);
          const partial = streaming.find(({ id }) => id === message.id);
          if (partial) streamed.set(message.id, textOf(partial));
        }
        streaming = foldStreaming(streaming, frame.message);
      },
    });
    return {
      opened,
      statuses,
      messages: () => [...messages.values()],
      streamed: (id) => streamed.get(id),
      close: () => watching.close(),
    };
  };

  const transcript = async (sessionId: SessionId): Promise<readonly Message[]> => {
    const params = { sessionId };
    const { messages } = await client.call(listMessages, { params, query: {} });
    return messages.map(({ index: _index, at: _at, author: _author, ...message }) => message);
  };

  const startRunner = async (
    runnerSettings: Readonly<Record<string, string>>,
    mortal: boolean,
  ): Promise<RunnerProcess> => {
    const environment = {
      ...stack.environment,
      SANDBOX_HOST: host.url,
      LEASE_TTL_MS: String(leaseTtlMs),
      START_MS: "30000",
      MOVE_MS: "1000",
      PAUSES: "false",
      CAPACITY: "100",
      ...runnerSettings,
    };
    const runner = await startRunnerProcess(environment, { started: program, mortal });
    started.add({ stop: () => runner.end("SIGKILL") });
    runners.push(runner);
    return runner;
  };

  return {
    stack,
    host,
    startRunner: (runnerSettings = {}) => startRunner(runnerSettings, false),
    startMortal: (told, runnerSettings = {}) => {
      const death = {
        NODE_OPTIONS: `--import=${diesSending}`,
        // a message goes on behind what is named of it
        DIES_SENDING: JSON.stringify(told).slice(0, -1),
      };
      return startRunner({ ...runnerSettings, ...death }, true);
    },
    endRunners: async () => {
      await Promise.all(runners.splice(0).map((runner) => runner.end("SIGTERM")));
    },
    create: async (prompt) => {
      const body = { title: "Faults", prompt };
      const { sessionId } = await client.call(createSession, { headers: {}, body });
      // The read model comes after the log: until then whoever looks is told that there is no such session.
      await vi.waitFor(() => view(sessionId), patience);
      return sessionId;
    },
    ask: async (sessionId, text) => {
      await client.call(promptSession, { params: { sessionId }, body: { text } });
    },
    watch,
    status: async (sessionId) => (await view(sessionId)).status,
    events,
    expectAnswered: async (sessionId, asked, watcher) => {
      await vi.waitUntil(async () => (await view(sessionId)).openPrompts === 0, patience);
      await vi.waitFor(async () => {
        const stored = await transcript(sessionId);
        expect(stored.filter(({ role }) => role === "user").map(textOf)).toEqual(asked);
        const whole = stored.filter(
          ({ role, finish }) => role === "assistant" && finish === "stop",
        );
        expect(whole.map(textOf)).toEqual(asked.map(answerOf));
        expect(byId(watcher.messages())).toEqual(byId(stored));
      }, patience);
      // One sandbox is left, whatever there was in between.
      const left = () => host.running().filter((name) => name.startsWith(sessionId));
      await vi.waitUntil(() => left().length === 1, patience);
      expectOneOwner(await events(sessionId));
    },
    close: started.stop,
  };
};

/** At no time have two owners written: each acted under the newest epoch. */
const expectOneOwner = (events: readonly SessionEvent[]): void => {
  let present = 0;
  for (const { type, data } of events) {
    if (type === "OwnershipAcquired") {
      expect(data.epoch).toBeGreaterThan(present);
      present = data.epoch;
    } else if ("epoch" in data) {
      expect(data.epoch, type).toBe(present);
    }
  }
};

const textOf = ({ parts }: Pick<Message, "parts">): string =>
  parts.map((part) => (part.kind === "text" ? part.text : "")).join("");

const byId = (messages: readonly Message[]): ReadonlyMap<string, Message> =>
  new Map(messages.map((message) => [message.id, message]));
