import fc from "fast-check";
import { derivedId, newId } from "#contracts/ids";
import type { SessionCommand } from "#contracts/session/commands";
import { validatedConnectionsSchema } from "#contracts/session/connections";
import {
  failureSchema,
  promptOutcomeSchema,
  sessionEvents,
  sessionOriginSchema,
} from "#contracts/session/events";
import { sessionKindSchema } from "#contracts/session/kind";
import { sandboxWarningSchema } from "#contracts/session/sandbox-warning";
import { triedServiceSchema } from "#contracts/session/service-trial";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { sessionDecider } from "./decider.ts";
import { applied, create } from "../testing/session-events.ts";

const promptId = fc.constantFrom(derivedId("prompt", "1"), derivedId("prompt", "2"));
/** Mostly that of one owner, so that it gets somewhere. */
const epoch = fc.constantFrom(1, 1, 1, 2);
const name = fc.constantFrom("a", "b");
const failure = arbitraryOf(failureSchema);
const prompt = fc.record({ promptId, text: name, by: name });

const type = <T extends SessionCommand["type"]>(text: T) => fc.constant(text);

const [{ data: sessionCreated }] = sessionEvents;
const { repositories } = sessionCreated.shape;

const snapshotReport = fc.oneof<fc.Arbitrary<SessionCommand>[]>(
  fc.record({ type: type("ReportSnapshotTaken"), epoch, requestId: name, snapshotId: name }),
  fc.record({ type: type("ReportSnapshotFailed"), epoch, requestId: name, failure }),
);

const trial = fc.oneof<fc.Arbitrary<SessionCommand>[]>(
  fc.record({ type: type("RequestServiceTrial"), requestId: name }),
  fc.record({
    type: type("ReportServicesTried"),
    epoch,
    requestId: name,
    services: fc.array(arbitraryOf(triedServiceSchema), { maxLength: 2 }),
    failure: fc.option(failure, { nil: null }),
  }),
);

const expiresAt = fc.constantFrom(null, "2026-11-22T08:00:00.000Z");

const sandboxReady = fc.record({
  type: type("ReportSandboxReady"),
  epoch,
  sandboxId: name,
  agentSessionId: name,
  bootMs: fc.nat(),
  expiresAt,
});

/** One owner's and to one sandbox, so that the steps of a migration follow upon each other. */
const step = { epoch: fc.constant(1), generation: fc.constant(1) };
const migrating = fc.oneof<fc.Arbitrary<SessionCommand>[]>(
  fc.constant({ type: "RequestMigration", sandboxId: "a" }),
  fc.record({ type: type("StartMigration"), ...step, snapshotId: name }),
  fc.record({ type: type("ReportMigrationFailed"), epoch, failure }),
  fc.record({ type: type("ReportMigrated"), ...step, sandboxId: name, expiresAt }),
  fc.record({ type: type("ReportSpareEnded"), epoch, generation: fc.constantFrom(0, 1) }),
);

const idleReport = fc.oneof<fc.Arbitrary<SessionCommand>[]>(
  fc.record({
    type: type("RequestIdlePause"),
    after: fc.option(promptId, { nil: null, freq: 1 }),
  }),
  fc.record({ type: type("ReportIdlePauseFailed"), epoch, failure }),
  fc.record({ type: type("ReportIdleSandboxEnded"), epoch, failure }),
);

const commandsOfItsLife = fc.oneof<fc.Arbitrary<SessionCommand>[]>(
  fc.record({
    type: type("CreateSession"),
    title: fc.string(),
    origin: arbitraryOf(sessionOriginSchema),
    kind: arbitraryOf(sessionKindSchema),
    repositories: arbitraryOf(repositories),
    model: fc.string(),
    systemPrompt: fc.option(fc.string(), { nil: null }),
    fingerprint: name,
    configuration: fc.constantFrom(null, applied),
    parentId: fc.constantFrom(null, derivedId("session", "parent")),
    connections: fc.option(arbitraryOf(validatedConnectionsSchema), { nil: null }),
    deferred: fc.boolean(),
    prompt: fc.option(prompt, { nil: null, freq: 1 }),
  }),
  prompt.map((asked) => ({ type: "QueuePrompt", ...asked })),
  fc.record({ type: type("ChangePrompt"), promptId, text: name }),
  fc.record({ type: type("WithdrawPrompt"), promptId }),
  fc.record({ type: type("RenameSession"), title: name }),
  fc.record({ type: type("CancelPrompts") }),
  fc.record({ type: type("AcquireOwnership"), instance: name, epoch }),
  fc.record({ type: type("StartSandbox"), epoch, provider: name }),
  sandboxReady,
  fc.record({
    type: type("ReportSandboxWarning"),
    epoch,
    warning: arbitraryOf(sandboxWarningSchema),
  }),
  fc.record({ type: type("ReportPutAway"), epoch, snapshotId: name }),
  fc.record({ type: type("ReportStartFailed"), epoch, failure }),
  fc.record({ type: type("ReportSandboxFailed"), epoch, failure }),
  fc.record({ type: type("StartPrompt"), epoch, promptId }),
  fc.record({
    type: type("FinishPrompt"),
    epoch,
    promptId,
    outcome: arbitraryOf(promptOutcomeSchema),
    failure: fc.option(failure, { nil: null }),
  }),
  fc.record({
    type: type("SaveServiceCommands"),
    commands: fc.constantFrom([], [{ name: "web", command: "npm start" }]),
  }),
  fc.record({
    type: type("RequestEnvVariables"),
    requestId: name,
    keys: fc.constant([{ key: "TOKEN", type: "secret", required: true }]),
  }),
  fc.record({
    type: type("ProvideEnvVariables"),
    names: fc.constantFrom(["TOKEN"], ["DEBUG", "TOKEN"]),
    by: fc.constant(newId("user")),
  }),
  fc.record({
    type: type("RequestSnapshot"),
    requestId: name,
    message: fc.option(name, { nil: null }),
  }),
  snapshotReport,
  snapshotReport,
  trial,
  fc.record({ type: type("SetAutoDelete"), days: fc.constantFrom(null, 1, 30) }),
  fc.record({
    type: type("RecordPullRequest"),
    repository: name,
    number: fc.constantFrom(1, 2),
    url: name,
  }),
  fc.record({ type: type("RequestPause") }),
  idleReport,
  fc.record({ type: type("ReportPaused"), epoch }),
  fc.record({ type: type("RequestResume") }),
);

/** What ordinary sessions begin with, and what then becomes of one that nobody uses. */
const commandsOfASleeper = fc.oneof<fc.Arbitrary<SessionCommand>[]>(
  fc.constant({ ...create, fingerprint: "a" }),
  fc.constant({ type: "AcquireOwnership", instance: "a", epoch: 1 }),
  sandboxReady,
  idleReport,
);

/** What ordinary sessions begin with, and what then becomes of one whose sandbox ends soon. */
const commandsOfAMover = fc.oneof<fc.Arbitrary<SessionCommand>[]>(
  fc.constant({ ...create, fingerprint: "a" }),
  fc.constant({ type: "AcquireOwnership", instance: "a", epoch: 1 }),
  fc.constant({
    type: "ReportSandboxReady",
    epoch: 1,
    sandboxId: "a",
    agentSessionId: "a",
    bootMs: 1,
    expiresAt: null,
  }),
  migrating,
  migrating,
);

/** What ordinary sessions begin with, and what then becomes of one whose services are tried. */
const commandsOfATrial = fc.oneof<fc.Arbitrary<SessionCommand>[]>(
  fc.constant({ ...create, fingerprint: "a", configuration: applied }),
  fc.constant({ type: "AcquireOwnership", instance: "a", epoch: 1 }),
  trial,
  trial,
);

describeDecider("a session", {
  decider: sessionDecider,
  events: sessionEvents,
  commands: fc.oneof(
    { weight: 60, arbitrary: commandsOfItsLife },
    { weight: 30, arbitrary: commandsOfASleeper },
    { weight: 90, arbitrary: commandsOfAMover },
    { weight: 30, arbitrary: commandsOfATrial },
    { weight: 1, arbitrary: fc.record({ type: type("DeleteSession"), erase: fc.boolean() }) },
  ),
  repeated: {
    CreateSession: "nothing",
    QueuePrompt: "nothing",
    ChangePrompt: "nothing",
    WithdrawPrompt: "nothing",
    RenameSession: "nothing",
    CancelPrompts: "nothing",
    AcquireOwnership: "nothing",
    // Each attempt to start a sandbox is one of its own.
    StartSandbox: "events",
    ReportSandboxReady: "nothing",
    // A boot that is tried again may warn of the same again.
    ReportSandboxWarning: "events",
    // Each failure counts.
    ReportStartFailed: "events",
    RequestMigration: "nothing",
    StartMigration: "nothing",
    ReportMigrationFailed: "nothing",
    ReportMigrated: "nothing",
    ReportSpareEnded: "nothing",
    ReportPutAway: "nothing",
    ReportSandboxFailed: "nothing",
    StartPrompt: "nothing",
    FinishPrompt: "nothing",
    SaveServiceCommands: "nothing",
    // Each question is one of its own.
    RequestEnvVariables: "events",
    // The values may be others.
    ProvideEnvVariables: "events",
    RequestSnapshot: "nothing",
    ReportSnapshotTaken: "nothing",
    ReportSnapshotFailed: "nothing",
    RequestServiceTrial: "nothing",
    ReportServicesTried: "nothing",
    SetAutoDelete: "nothing",
    RecordPullRequest: "nothing",
    RequestPause: "nothing",
    RequestIdlePause: "nothing",
    // Each failure counts.
    ReportIdlePauseFailed: "events",
    ReportIdleSandboxEnded: "nothing",
    ReportPaused: "nothing",
    RequestResume: "nothing",
    DeleteSession: "nothing",
  },
});
