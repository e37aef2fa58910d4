/** Test support: a session with a secret in every place that text can be in, and where copies of it lie. */
import type { EventStore } from "#event-store/event-store";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import { storeDelivery } from "#event-store/workers/inbox";
import { publishLive } from "#event-store/live/live-channel";
import { newId, type OrganizationId, type RunId, type SessionId } from "#contracts/ids";
import type { InvocationCommand } from "#contracts/invocation/commands";
import type { Position } from "#contracts/position";
import type { SessionCommand } from "#contracts/session/commands";
import type { Message } from "#contracts/transcript/message";
import { executeOnInvocation } from "../../actions/invocation/invocation-log.ts";
import { noSources } from "../../actions/testing/no-sources.ts";
import { matchTrigger, openRunSession } from "../../automations/commands.ts";
import { createSession } from "../../sessions/creation/create-session.ts";
import { sessionAggregate } from "../../sessions/aggregate/decider.ts";
import { transcriptAggregate } from "../../sessions/transcript/transcript-decider.ts";

export interface Place {
  readonly store: EventStore;
  readonly organization: OrganizationId;
}

const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });

export const messageOf = (id: string, text: string): Message => ({
  id,
  role: "assistant",
  promptId: null,
  parts: [
    { kind: "text", id: "1", text },
    { kind: "reasoning", id: "2", text },
    {
      kind: "tool",
      id: "3",
      callId: "call",
      tool: "bash",
      status: "completed",
      title: text,
      input: { [text]: text },
      output: text,
      error: text,
      metadata: { [text]: [text] },
      truncated: false,
    },
  ],
  finish: "stop",
  failure: { code: "agent_failed", message: text },
  usage: null,
  cost: null,
  filesChanged: {
    count: 1,
    additions: 1,
    deletions: 0,
    files: [{ path: text, status: "added", additions: 1, deletions: 0 }],
  },
});

export const recordMessage = async (
  { store, organization }: Place,
  session: SessionId,
  message: Message,
): Promise<Position> => {
  const command = { type: "RecordMessage", epoch: 1, message, author: null } as const;
  const key = { organization, id: session };
  return (await execute(store, transcriptAggregate, key, command, meta())).position;
};

const invoke = async (
  { store, organization }: Place,
  session: SessionId,
  secret: string,
  course: readonly InvocationCommand[],
): Promise<void> => {
  const key = { organization, id: newId("invocation") };
  const asked: InvocationCommand = {
    type: "InvokeAction",
    sessionId: session,
    integration: "demo",
    action: "publish",
    params: { [secret]: secret },
    risk: "write",
    mode: "require_approval",
    modeSource: "inferred",
    ruleId: null,
    drifted: false,
    expiresAt: "2099-01-01T00:00:00.000Z",
    fingerprint: secret,
  };
  for (const command of [asked, ...course]) await executeOnInvocation(store, key, command, meta());
};

const now = "2026-01-01T00:00:00.000Z";
const approved: readonly InvocationCommand[] = [
  { type: "ApproveAction", by: "usr_test", scope: "once", editedParams: null, now },
  { type: "StartExecution" },
];

/** Everything that a session can say, with as many turns as are wanted: long sessions have snapshots. */
export const talk = async (place: Place, secret: string, turns = 3): Promise<SessionId> => {
  const { store, organization } = place;
  const triggerId = newId("trigger");
  const runId: RunId = newId("run");
  const delivery = { organization, triggerId, deliveryId: runId, receivedAt: now };
  const body = Buffer.from(JSON.stringify({ secret }));
  await storeDelivery(store, { ...delivery, contentType: "application/json", body });
  const run = { organization, id: runId };
  const matched = {
    triggerId,
    dedupKey: runId,
    title: secret,
    prompt: secret,
    repository: null,
    session: null,
  };
  await matchTrigger(store, run, matched, meta());
  const { sessionId } = await createSession(
    { store, registry: noSources, log: { warn: () => undefined }, defaultModel: "test/model" },
    {
      organization,
      title: secret,
      origin: { kind: "automation", runId },
      repositories: [],
      prompt: { text: secret, by: runId },
      idempotencyKey: runId,
    },
    meta(),
  );
  await openRunSession(store, run, sessionId, meta());
  const fail = { code: "sandbox_boot_failed", message: secret };
  const commands: SessionCommand[] = [
    { type: "AcquireOwnership", instance: "test", epoch: 1 },
    { type: "StartSandbox", epoch: 1, provider: "test" },
    { type: "ReportSandboxFailed", epoch: 1, failure: fail },
  ];
  for (const command of commands) {
    await execute(store, sessionAggregate, { organization, id: sessionId }, command, meta());
  }
  for (let index = 0; index < turns; index += 1) {
    await recordMessage(place, sessionId, messageOf(`msg_${index}`, `${secret} ${index}`));
    const promptId = newId("prompt");
    const turn: SessionCommand[] = [
      { type: "QueuePrompt", promptId, text: secret, by: "usr_test" },
      { type: "FinishPrompt", epoch: 1, promptId, outcome: "completed", failure: null },
    ];
    const key = { organization, id: sessionId };
    for (const command of turn) await execute(store, sessionAggregate, key, command, meta());
  }
  await invoke(place, sessionId, secret, [{ type: "DenyAction", by: "usr", reason: secret, now }]);
  await invoke(place, sessionId, secret, [
    ...approved,
    {
      type: "CompleteAction",
      result: { [secret]: secret },
      truncated: false,
      fullResult: null,
      durationMs: 1,
    },
  ]);
  await invoke(place, sessionId, secret, [...approved, { type: "FailAction", failure: fail }]);
  await invoke(place, sessionId, secret, [...approved, { type: "LoseOutcome", reason: secret }]);
  const live = { organization, session: sessionId };
  await publishLive(store, live, { type: "message", message: messageOf("msg_0", secret) });
  return sessionId;
};
