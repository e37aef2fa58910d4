import { describe, expect, it } from "vitest";
import { z } from "zod";
import { allEvents, definitionOf } from "../event-registry.ts";
import { markersOf, putText, takeText } from "./text-fields.ts";

/** Fields without a pattern that hold no text: ids, names of things, and codes. */
const plainFields = new Set([
  "ActionApproved.by",
  "ActionDenied.by",
  "ActionFailed.failure.code",
  "ActionInvoked.action",
  "ActionInvoked.integration",
  "ActionModeSet.action",
  "ActionModeSet.by",
  "ActionModeSet.integration",
  "AutomationConfigured.connections",
  "ConfigurationApplied.previewPorts",
  "ConfigurationApplied.snapshot.provider",
  "ConfigurationApplied.snapshot.snapshotId",
  "ConfigurationCreated.previewPorts",
  "ConfigurationCreated.repositories",
  "ConfigurationSnapshotDiscarded.snapshot.provider",
  "ConfigurationSnapshotDiscarded.snapshot.snapshotId",
  "ConfigurationSnapshotSaved.snapshot.provider",
  "ConfigurationSnapshotSaved.snapshot.snapshotId",
  "ConfigurationSnapshotsLeft.snapshots",
  "ConfigurationUpdated.previewPorts",
  "ConfigurationUpdated.repositories",
  "IntegrationConnected.baseUrl",
  "ActionReviewed.action",
  "ActionReviewed.definitionHash",
  "ActionReviewed.integration",
  "ActionModeCleared.action",
  "ActionModeCleared.integration",
  "ActionReviewWithdrawn.action",
  "ActionReviewWithdrawn.integration",
  "AutomationModeSet.action",
  "AutomationModeSet.by",
  "AutomationModeSet.integration",
  "ConnectionsValidated.usable",
  "ConnectorChanged.target.database",
  "ConnectorChanged.target.host",
  "ConnectorChanged.target.url",
  "ConnectorChanged.target.user",
  "ConnectorCreated.target.database",
  "ConnectorCreated.target.host",
  "ConnectorCreated.target.url",
  "ConnectorCreated.target.user",
  // Names, by which the values are found to be forgotten.
  "EnvVariablesProvided.names",
  "EnvVariablesRequested.requestId",
  "FullResultRead.by",
  "IdlePauseFailed.failure.code",
  "IdleSandboxEnded.failure.code",
  "MigrationFailed.failure.code",
  "MigrationStarted.snapshotId",
  "MessageRecorded.message.failure.code",
  "MessageRecorded.message.finish",
  "MessageRecorded.message.id",
  "MessageRecorded.message.promptId",
  "OwnershipAcquired.instance",
  "PolicyRuleSet.by",
  "PolicyRuleSet.rule.action",
  // A rule without its conditions would decide on what it was never meant for.
  "PolicyRuleSet.rule.conditions",
  "PolicyRuleSet.rule.integration",
  "PromptFinished.failure.code",
  "PromptQueued.by",
  "PullRequestOpened.repository",
  "RiskOverridden.action",
  "RiskOverridden.by",
  "RiskOverridden.integration",
  "RunCompleted.completionId",
  "RunConfigured.connections",
  "SandboxFailed.failure.code",
  "SandboxMigrated.sandboxId",
  "SandboxPutAway.snapshotId",
  "SandboxReady.agentSessionId",
  "SandboxReady.sandboxId",
  "SandboxStartFailed.failure.code",
  "SandboxStarting.provider",
  "ServiceTokenIssued.scopes",
  "SessionCreated.model",
  "ServiceTrialRequested.requestId",
  "ServicesTried.failure.code",
  "ServicesTried.requestId",
  "SessionCreated.repositories",
  "SnapshotFailed.failure.code",
  "SnapshotFailed.requestId",
  "SnapshotRequested.requestId",
  "SnapshotTaken.requestId",
  "SnapshotTaken.snapshotId",
  "ToolCallCompleted.callId",
  "ToolCallReceived.callId",
  "ToolCallReceived.tool",
  "TriggerCreated.createdBy",
  "TriggerCreated.repository.ref",
  "TriggerCreated.repository.url",
  "TriggerMatched.dedupKey",
  "TriggerMatched.repository.ref",
  "TriggerMatched.repository.url",
]);

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

const plainTypes = new Set(["integer", "number", "boolean", "null"]);

/** The paths below a schema that can hold any text whatever, but for those that can be erased. */
const freePaths = (schema: JsonSchema, path: string, erased: readonly string[]): string[] => {
  if (erased.includes(path)) return [];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap((choice) => freePaths(choice, path, erased));
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([name, inner]) =>
      freePaths(inner, path === "" ? name : `${path}.${name}`, erased),
    );
  }
  const settled =
    schema.const !== undefined || schema.enum !== undefined || schema.pattern !== undefined;
  const types = [schema.type].flat();
  const free = !settled && types.some((type) => !type || !plainTypes.has(type));
  return free ? [path] : [];
};

describe("the text of events", () => {
  it("is named wherever an event can hold any", () => {
    const free = allEvents.flatMap(({ type, data, erased }) =>
      freePaths(z.toJSONSchema(data) as JsonSchema, "", Object.keys(erased)).map(
        (path) => `${type}.${path}`,
      ),
    );
    const advice = "name the field in the event's definition, or here if it never holds text";
    const unnamed = free.filter((path) => !plainFields.has(path) && !isListOfIds(path));
    expect(unnamed, advice).toEqual([]);
    expect([...plainFields].filter((path) => !free.includes(path))).toEqual([]);
  });

  it("is taken out and put back, null and missing fields left alone", () => {
    const definition = definitionOf("MessageRecorded");
    const message = { id: "msg_1", parts: [{ text: "secret" }], failure: null };
    const taken = takeText(definition, { epoch: 1, message });
    expect(taken).toEqual({
      data: { epoch: 1, message: { id: "msg_1", failure: null } },
      fields: ["message.parts"],
      values: [message.parts],
    });
    expect(putText(taken)).toEqual({ epoch: 1, message });
  });

  it("of fields that only a former version had is erased like any other", () => {
    expect(markersOf(definitionOf("PromptQueued"), ["text", "former"])).toEqual([
      "[erased]",
      "[erased]",
    ]);
  });
});

const isListOfIds = (path: string): boolean => path === "CancelRequested.promptIds";
