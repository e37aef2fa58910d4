/** Test and bench support: events with plausible content. */
import type { Author } from "#contracts/transcript/author";
import type { AnyEvent } from "#contracts/event-registry";
import { newId, type InvocationId, type PromptId, type SessionId } from "#contracts/ids";
import type { AggregateRef } from "#contracts/commit";

export const sessionRef = (
  organization: string,
  id: SessionId = newId("session"),
): AggregateRef & { id: SessionId } => ({ organization, aggregate: "session", id });

export const transcriptRef = (organization: string, session: SessionId): AggregateRef => ({
  organization,
  aggregate: "transcript",
  id: session,
});

export const invocationRef = (
  organization: string,
  id: InvocationId = newId("invocation"),
): AggregateRef & { id: InvocationId } => ({ organization, aggregate: "invocation", id });

export const sessionCreated = (title = "Fix the failing test"): AnyEvent => ({
  type: "SessionCreated",
  data: {
    title,
    origin: { kind: "user", userId: newId("user") },
    kind: "coding",
    repositories: [{ url: "https://example.com/shop.git", ref: "main", path: "." }],
    model: "claude-sonnet-4.6",
    systemPrompt: null,
    fingerprint: "f".repeat(64),
  },
});

export const promptQueued = (promptId: PromptId = newId("prompt")): AnyEvent => ({
  type: "PromptQueued",
  data: { promptId, text: "Why does the test of the cart fail?", by: "user" },
});

export const promptFinished = (promptId: PromptId): AnyEvent => ({
  type: "PromptFinished",
  data: { epoch: 1, promptId, outcome: "completed", failure: null },
});

export const sandboxReady: AnyEvent = {
  type: "SandboxReady",
  data: { epoch: 1, sandboxId: "sbx_1", agentSessionId: "ses_agent", bootMs: 900, expiresAt: null },
};

export const messageRecorded = (
  id: string,
  text: string,
  author: Author | null = null,
): AnyEvent => ({
  type: "MessageRecorded",
  data: {
    epoch: 1,
    message: {
      id,
      role: "assistant",
      promptId: null,
      parts: [{ kind: "text", id: `${id}_1`, text }],
      finish: "stop",
      failure: null,
      usage: { input: 1200, output: 90, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
      cost: 0.0042,
      filesChanged: null,
    },
    author,
  },
});

export const actionInvoked = (sessionId: SessionId, expiresAt: string | null = null): AnyEvent => ({
  type: "ActionInvoked",
  data: {
    sessionId,
    integration: "demo",
    action: "publish_release",
    params: { version: "1.0.0" },
    risk: "write",
    mode: "require_approval",
    modeSource: "inferred",
    ruleId: null,
    drifted: false,
    expiresAt,
    fingerprint: "f".repeat(64),
  },
});
