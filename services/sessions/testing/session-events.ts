/** Events and commands of one ordinary session, for tests. */
import { derivedId } from "#contracts/ids";
import type { AppliedConfiguration } from "#contracts/session/applied-configuration";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";

export type Event<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>;
export type Command<T extends SessionCommand["type"]> = Extract<SessionCommand, { type: T }>;

const userId = derivedId("user", "tester");
export const failure = { code: "sandbox_boot_failed", message: "The repository cannot be cloned." };
export const promptId = (name: string) => derivedId("prompt", name);

export const created: Event<"SessionCreated"> = {
  type: "SessionCreated",
  data: {
    title: "Fix the test",
    origin: { kind: "user", userId },
    kind: "coding",
    repositories: [],
    model: "claude-sonnet-4.6",
    systemPrompt: null,
    fingerprint: "a".repeat(64),
  },
};
export const create: Command<"CreateSession"> = {
  type: "CreateSession",
  ...created.data,
  configuration: null,
  parentId: null,
  connections: null,
  deferred: false,
  prompt: null,
};

/** What the session has of a configuration with everything in it. */
export const applied: AppliedConfiguration = {
  configurationId: derivedId("configuration", "shop"),
  workspaceRevision: 1,
  serviceCommands: [{ name: "web", command: "npm start" }],
  envFiles: { files: [{ path: ".env", variables: [{ name: "TOKEN", required: true }] }] },
  previewPorts: [3000],
  snapshot: { snapshotId: "snap-setup", provider: "local", versionKey: null },
};

export const queue = (name: string, text = name): Command<"QueuePrompt"> => ({
  type: "QueuePrompt",
  promptId: promptId(name),
  text,
  by: userId,
});
export const queued = (name: string, text = name): Event<"PromptQueued"> => ({
  type: "PromptQueued",
  data: { promptId: promptId(name), text, by: userId },
});
export const acquired = (epoch: number): Event<"OwnershipAcquired"> => ({
  type: "OwnershipAcquired",
  data: { instance: `runner-${epoch}`, epoch },
});
export const starting = (epoch: number): Event<"SandboxStarting"> => ({
  type: "SandboxStarting",
  data: { epoch, provider: "local" },
});
export const ready = (epoch: number): Event<"SandboxReady"> => ({
  type: "SandboxReady",
  data: { epoch, sandboxId: "sandbox-1", agentSessionId: "agent-1", bootMs: 900, expiresAt: null },
});
export const failed = (epoch: number): Event<"SandboxFailed"> => ({
  type: "SandboxFailed",
  data: { epoch, failure },
});
export const started = (epoch: number, name: string): Event<"PromptStarted"> => ({
  type: "PromptStarted",
  data: { epoch, promptId: promptId(name) },
});
export const finished = (epoch: number, name: string): Event<"PromptFinished"> => ({
  type: "PromptFinished",
  data: { epoch, promptId: promptId(name), outcome: "completed", failure: null },
});
export const pauseRequested: SessionEvent = { type: "PauseRequested", data: {} };
export const paused = (epoch: number): SessionEvent => ({ type: "SessionPaused", data: { epoch } });
export const resumeRequested: SessionEvent = { type: "ResumeRequested", data: {} };
export const stopped: SessionEvent = { type: "SessionStopped", data: { reason: "deleted" } };

/** A session that runs, owned with epoch 7. */
export const running: readonly SessionEvent[] = [created, acquired(7), starting(7), ready(7)];
