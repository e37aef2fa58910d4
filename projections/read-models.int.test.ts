import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { invocationViewSchema } from "#contracts/invocation/view";
import { runViewSchema } from "#contracts/run/view";
import { sessionStatusSchema, sessionViewSchema } from "#contracts/session/view";
import { messageViewSchema } from "#contracts/transcript/view";
import { triggerViewSchema } from "#contracts/trigger/view";
import { auditEntrySchema } from "#contracts/audit/view";
import { listAudit } from "./audit/queries.ts";
import { getInvocation, listInvocations, listSessionInvocations } from "./invocations/queries.ts";
import { listMessages } from "./messages/queries.ts";
import { listRuns } from "./runs/queries.ts";
import { getSession, listSessions } from "./sessions/queries.ts";
import * as events from "./testing/events.ts";
import { openTestReadModels, type TestReadModels } from "./testing/test-read-models.ts";
import { getTrigger, listTriggers } from "./triggers/queries.ts";

let models: TestReadModels;

beforeAll(async () => {
  models = await openTestReadModels();
  await models.startProjector();
});
afterAll(async () => {
  await models[Symbol.asyncDispose]();
});

const at = (second: number): string => `2026-03-01T12:00:${String(second).padStart(2, "0")}.250Z`;

it("derives a session's status, open prompts and failure from its events", async () => {
  const { sql, writer, reached } = models;
  const organization = newId("organization");
  const ref = events.sessionRef(organization);
  const [first, second] = [newId("prompt"), newId("prompt")];
  const failure = { code: "sandbox_boot_failed", message: "The clone failed." };
  const stateAfter = async (
    second: number,
    ...happened: Parameters<typeof writer.write>[1]
  ): Promise<unknown> => {
    await reached(await writer.write(ref, happened, at(second)));
    const view = sessionViewSchema.parse(await getSession(sql, { organization, id: ref.id }));
    return [view.status, view.openPrompts, view.failure];
  };

  expect(await stateAfter(1, events.sessionCreated(), events.promptQueued(first))).toEqual([
    "pending",
    1,
    null,
  ]);
  expect(
    await stateAfter(2, { type: "SandboxStarting", data: { epoch: 1, provider: "local" } }),
  ).toEqual(["starting", 1, null]);
  expect(await stateAfter(3, { type: "SandboxFailed", data: { epoch: 1, failure } })).toEqual([
    "failed",
    1,
    failure,
  ]);
  expect(await stateAfter(4, events.promptQueued(second))).toEqual(["pending", 2, null]);
  expect(await stateAfter(5, events.sandboxReady)).toEqual(["running", 2, null]);
  expect(await stateAfter(6, events.promptFinished(first))).toEqual(["running", 1, null]);
  expect(await stateAfter(7, { type: "SessionPaused", data: { epoch: 1 } })).toEqual([
    "paused",
    1,
    null,
  ]);
  expect(await stateAfter(8, { type: "ResumeRequested", data: {} })).toEqual(["pending", 1, null]);
  expect(await stateAfter(9, { type: "SessionStopped", data: { reason: "deleted" } })).toEqual([
    "stopped",
    0,
    null,
  ]);
  expect(await getSession(sql, { organization, id: ref.id })).toMatchObject({
    createdAt: at(1),
    updatedAt: at(9),
    repository: { ref: "main" },
  });
});

it("takes every status that there is, and no other", async () => {
  const { sql, writer, reached } = models;
  const organization = newId("organization");
  const ref = events.sessionRef(organization);
  await reached(await writer.write(ref, [events.sessionCreated()], at(1)));
  const set = (status: string) => sql`update sessions set status = ${status} where id = ${ref.id}`;
  for (const status of sessionStatusSchema.options) await set(status);
  await expect(set("resting")).rejects.toThrow(/check constraint/);
});

it("pages the sessions from the newest to the oldest, also those of the same instant", async () => {
  const { sql, writer, reached } = models;
  const organization = newId("organization");
  const made: string[] = [];
  for (const second of [1, 2, 2, 2, 3]) {
    const ref = events.sessionRef(organization);
    made.unshift(ref.id);
    await reached(await writer.write(ref, [events.sessionCreated()], at(second)));
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listSessions(sql, { organization, limit: 2, cursor });
    seen.push(...page.sessions.map(({ id }) => id));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(made);
  await expect(
    listSessions(sql, { organization, limit: 2, cursor: "bm9uc2Vuc2U" }),
  ).rejects.toThrow(expect.objectContaining({ code: "request_malformed" }));
});

it("keeps a message's place and time when it is recorded again, and stores any text", async () => {
  const { sql, writer, reached } = models;
  const organization = newId("organization");
  const session = newId("session");
  const ref = events.transcriptRef(organization, session);
  const author = { kind: "user", userId: newId("user") } as const;
  await writer.write(ref, [events.messageRecorded("msg_1", "first")], at(1));
  await writer.write(
    ref,
    [events.messageRecorded("msg_2", 'NUL \0, lone \ud800, "quoted" \\u0000')],
    at(2),
  );
  await reached(
    await writer.write(ref, [events.messageRecorded("msg_1", "corrected", author)], at(3)),
  );

  const messages = await listMessages(sql, { organization, session });
  const unnamed = messages.map(({ author: _author, ...message }) => message);
  expect(unnamed.map((message) => messageViewSchema.parse(message))).toEqual(unnamed);
  expect(messages).toMatchObject([
    { id: "msg_1", index: 0, at: at(1), author, parts: [{ kind: "text", text: "corrected" }] },
    {
      id: "msg_2",
      author: null,
      index: 1,
      at: at(2),
      parts: [{ kind: "text", text: 'NUL \ufffd, lone \ufffd, "quoted" \\u0000' }],
    },
  ]);
});

it("follows an invocation, lists it by session and by status, and keeps any JSON as its result", async () => {
  const { sql, writer, reached } = models;
  const organization = newId("organization");
  const session = newId("session");
  const [waiting, denied] = [
    events.invocationRef(organization),
    events.invocationRef(organization),
  ];
  const done = events.invocationRef(organization);
  await writer.write(waiting, [events.actionInvoked(session, at(59))], at(1));
  await writer.write(denied, [events.actionInvoked(session)], at(2));
  await writer.write(
    denied,
    [{ type: "ActionDenied", data: { by: "usr_1", reason: "no" } }],
    at(3),
  );
  await writer.write(done, [events.actionInvoked(newId("session"))], at(4));
  await writer.write(
    done,
    [{ type: "ActionApproved", data: { by: "usr_1", scope: "once", editedParams: null } }],
    at(5),
  );
  await writer.write(done, [{ type: "ExecutionStarted", data: {} }], at(6));
  const fullResult = { status: "kept", attempt: 1, bytes: 20_000, until: at(50) } as const;
  await reached(
    await writer.write(
      done,
      [
        {
          type: "ActionCompleted",
          data: { result: "plain text", truncated: true, fullResult, durationMs: 7 },
        },
      ],
      at(7),
    ),
  );

  const completed = await getInvocation(sql, { organization, id: done.id });
  expect(invocationViewSchema.parse(completed)).toMatchObject({
    status: "completed",
    result: "plain text",
    fullResult,
    resolvedBy: "usr_1",
    expiresAt: null,
    createdAt: at(4),
    updatedAt: at(7),
  });
  const ofSession = await listSessionInvocations(sql, { organization, session });
  expect(ofSession).toMatchObject([
    { id: denied.id, status: "denied", reason: "no" },
    { id: waiting.id, status: "pending", expiresAt: at(59), params: { version: "1.0.0" } },
  ]);
  const pending = await listInvocations(sql, { organization, status: "pending", limit: 10 });
  expect(pending.invocations.map(({ id }) => id)).toEqual([waiting.id]);
  const firstPage = await listInvocations(sql, { organization, limit: 2 });
  expect(firstPage.invocations.map(({ id }) => id)).toEqual([done.id, denied.id]);
  const { next } = firstPage;
  const rest = await listInvocations(sql, { organization, limit: 2, cursor: next ?? undefined });
  expect(rest).toMatchObject({ invocations: [{ id: waiting.id }], next: null });
});

it("shows triggers and the runs that they made", async () => {
  const { sql, writer, reached } = models;
  const organization = newId("organization");
  const [triggerId, runId, sessionId] = [newId("trigger"), newId("run"), newId("session")];
  const run = { organization, aggregate: "run", id: runId } as const;
  await writer.write(
    { organization, aggregate: "trigger", id: triggerId },
    [
      {
        type: "TriggerCreated",
        data: {
          name: "Errors",
          provider: "custom",
          filter: { level: "error", count: 3, muted: null },
          prompt: "Look at {{body.title}}",
          repository: null,
          createdBy: "usr_1",
        },
      },
    ],
    at(1),
  );
  const matched = {
    triggerId,
    dedupKey: "d1",
    title: "It broke",
    prompt: "Look",
    repository: null,
  };
  await reached(await writer.write(run, [{ type: "TriggerMatched", data: matched }], at(2)));
  expect(await listRuns(sql, { organization, limit: 5 })).toMatchObject({
    runs: [{ id: runId, sessionId: null }],
  });
  await reached(
    await writer.write(run, [{ type: "RunSessionOpened", data: { sessionId } }], at(3)),
  );

  const trigger = triggerViewSchema.parse(await getTrigger(sql, { organization, id: triggerId }));
  expect(trigger.filter).toEqual({ level: "error", count: 3, muted: null });
  expect(await listTriggers(sql, { organization })).toEqual([trigger]);
  const report = {
    outcome: "needs_human" as const,
    summary: "Somebody has to decide.",
    citations: [],
    diffRef: null,
    testReportRef: null,
    sideEffectRefs: [],
  };
  const completed = { sessionId, completionId: "c-1", report };
  await reached(await writer.write(run, [{ type: "RunCompleted", data: completed }], at(4)));
  const { runs } = await listRuns(sql, { organization, limit: 5 });
  expect(runs.map((shown) => runViewSchema.parse(shown))).toMatchObject([
    {
      ...{ id: runId, triggerId, dedupKey: "d1", title: "It broke", sessionId, createdAt: at(2) },
      ...{ outcome: report.outcome, summary: report.summary, completedAt: at(4) },
    },
  ]);
});

it("audits every commit of every aggregate without its data", async () => {
  const { sql, writer, reached } = models;
  const organization = newId("organization");
  const ref = events.sessionRef(organization);
  const created = await writer.write(ref, [events.sessionCreated(), events.promptQueued()], at(1));
  const modeSet = await writer.write(
    { organization, aggregate: "policy", id: newId("policy") },
    [
      {
        type: "ActionModeSet",
        data: {
          ...{ integration: "demo", action: "publish_release", mode: "deny" },
          ...{ by: null, at: null },
        },
      },
    ],
    at(2),
  );
  await reached(modeSet);

  const all = await listAudit(sql, { organization, limit: 1 });
  expect(all.entries.map((entry) => auditEntrySchema.parse(entry))).toMatchObject([
    { position: modeSet, aggregate: "policy", eventTypes: ["ActionModeSet"], at: at(2) },
  ]);
  const older = await listAudit(sql, { organization, limit: 1, cursor: all.next ?? undefined });
  expect(older).toMatchObject({
    entries: [{ position: created, eventTypes: ["SessionCreated", "PromptQueued"] }],
    next: null,
  });
  const one = await listAudit(sql, { organization, limit: 9, aggregateId: ref.id });
  expect(one.entries.map(({ position }) => position)).toEqual([created]);
  const columns = await sql<{ row: string }[]>`
    select audit::text as row from audit where organization_id = ${organization}`;
  expect(columns.map(({ row }) => row).join()).not.toContain("failing test");
});

it("shows another organisation nothing", async () => {
  const { sql, writer, reached } = models;
  const [owner, stranger] = [newId("organization"), newId("organization")];
  const session = events.sessionRef(owner);
  const invocation = events.invocationRef(owner);
  const [triggerId, runId] = [newId("trigger"), newId("run")];
  await writer.write(session, [events.sessionCreated()]);
  await writer.write(events.transcriptRef(owner, session.id), [
    events.messageRecorded("m", "secret"),
  ]);
  await writer.write(invocation, [events.actionInvoked(session.id)]);
  await writer.write({ organization: owner, aggregate: "trigger", id: triggerId }, [
    {
      type: "TriggerCreated",
      data: {
        name: "Errors",
        provider: "custom",
        filter: {},
        prompt: "Look",
        repository: null,
        createdBy: "usr_1",
      },
    },
  ]);
  const matched = { triggerId, dedupKey: "d", title: "t", prompt: "p", repository: null };
  await reached(
    await writer.write({ organization: owner, aggregate: "run", id: runId }, [
      { type: "TriggerMatched", data: matched },
    ]),
  );

  const seenBy = async (organization: string): Promise<readonly number[]> => {
    const page = { organization, limit: 9 };
    const found = await Promise.all([
      getSession(sql, { organization, id: session.id }),
      getInvocation(sql, { organization, id: invocation.id }),
      getTrigger(sql, { organization, id: triggerId }),
    ]);
    return [
      ...found.map((view) => (view === null ? 0 : 1)),
      (await listMessages(sql, { organization, session: session.id })).length,
      (await listSessionInvocations(sql, { organization, session: session.id })).length,
      (await listSessions(sql, page)).sessions.length,
      (await listInvocations(sql, page)).invocations.length,
      (await listTriggers(sql, { organization })).length,
      (await listRuns(sql, page)).runs.length,
      (await listAudit(sql, { ...page, aggregateId: session.id })).entries.length,
    ];
  };
  // the session's id is also its transcript's: two commits
  expect(await seenBy(owner)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
  expect(await seenBy(stranger)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
});
