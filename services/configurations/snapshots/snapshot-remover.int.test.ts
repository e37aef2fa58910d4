/** The removal at the provider, on a real log: a provider that is away, and one that is another. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import type { ConfigurationCommand } from "#contracts/configuration/commands";
import { DomainError } from "#contracts/errors";
import type { SessionCommand } from "#contracts/session/commands";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import { listDeadLetters } from "#event-store/workers/dead-letters";
import { noSources } from "../../actions/testing/no-sources.ts";
import { runningStack } from "../../running.ts";
import { sessionAggregate } from "../../sessions/aggregate/decider.ts";
import { deleteSession } from "../../sessions/commands.ts";
import {
  createSession,
  type CreateSessionRequest,
} from "../../sessions/creation/create-session.ts";
import { configurationAggregate } from "../decider.ts";
import { createTestConfiguration } from "../testing/test-configuration.ts";
import { startSnapshotRemover } from "./snapshot-remover.ts";

const patience = { timeout: 30_000, interval: 50 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const organization = newId("organization");

let test: TestEventStore;
let started = runningStack();
beforeAll(async () => {
  test = await openTestEventStore();
});
afterEach(async () => {
  await started.stop();
  started = runningStack();
});
afterAll(() => test.close());

/** A configuration has given a snapshot up that a deleted setup session had left. */
const giveUp = async (snapshotId: string): Promise<void> => {
  const { configurationId: id } = await createTestConfiguration(test.store, organization);
  const sessionId: SessionId = newId("session");
  const snapshots = [{ snapshotId, provider: "faraway" }];
  const commands: readonly ConfigurationCommand[] = [
    { type: "LeaveSnapshots", sessionId, snapshots },
    { type: "DiscardSnapshot", snapshotId },
  ];
  for (const command of commands) {
    const meta = newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
    await execute(test.store, configurationAggregate, { organization, id }, command, meta);
  }
};

/** A session with a sandbox takes these, and is deleted. */
const deleteAfterSnapshots = async (
  request: Partial<CreateSessionRequest>,
  snapshotIds: readonly string[],
): Promise<void> => {
  const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
  const deps = { store: test.store, registry: noSources, log, defaultModel: "claude-sonnet-4.6" };
  const origin = { kind: "user", userId: newId("user") } as const;
  const asked = { organization, origin, repositories: [], prompt: null, idempotencyKey: null };
  const { sessionId: id } = await createSession(deps, { ...asked, ...request }, meta());
  const tell = (command: SessionCommand) =>
    execute(test.store, sessionAggregate, { organization, id }, command, meta());
  await tell({ type: "AcquireOwnership", instance: "runner", epoch: 1 });
  await tell({ type: "StartSandbox", epoch: 1, provider: "faraway" });
  const sandbox = { sandboxId: "sandbox", agentSessionId: "agent", bootMs: 1, expiresAt: null };
  await tell({ type: "ReportSandboxReady", epoch: 1, ...sandbox });
  for (const snapshotId of snapshotIds) {
    const requestId = newId("command");
    await tell({ type: "RequestSnapshot", requestId, message: null });
    await tell({ type: "ReportSnapshotTaken", epoch: 1, requestId, snapshotId });
  }
  await deleteSession(deps, { organization, session: id }, meta());
};

it("is tried again while the provider is away", async () => {
  const asked: string[] = [];
  const deleteSnapshot = (snapshotId: string): Promise<void> => {
    asked.push(snapshotId);
    return asked.length < 3
      ? Promise.reject(new DomainError("sandbox_unavailable", "The provider does not answer."))
      : Promise.resolve();
  };
  const provider = { type: "faraway", deleteSnapshot };
  started.add(await startSnapshotRemover({ store: test.store, provider, log }));
  await giveUp("snap-away");
  await vi.waitFor(() => {
    expect(log.info).toHaveBeenCalledWith(
      { snapshotId: "snap-away", provider: "faraway" },
      "a snapshot was removed",
    );
  }, patience);
  expect(asked).toEqual(["snap-away", "snap-away", "snap-away"]);
});

it("is a dead letter once it is given up, as where the runners work with another provider", async () => {
  const deleteSnapshot = vi.fn(() => Promise.resolve());
  const provider = { type: "nearby", deleteSnapshot };
  started.add(await startSnapshotRemover({ store: test.store, provider, log, maxAttempts: 2 }));
  await giveUp("snap-elsewhere");
  const codes = async (): Promise<readonly (string | undefined)[]> => {
    const found: (string | undefined)[] = [];
    for await (const { letter } of listDeadLetters(test.store, {
      worker: "snapshot-remover",
      dropped: false,
    })) {
      found.push(letter.history.at(-1)?.error.code);
    }
    return found;
  };
  await vi.waitFor(async () => {
    expect(await codes()).toEqual(["sandbox_provider_changed"]);
  }, patience);
  expect(deleteSnapshot).not.toHaveBeenCalled();
});

it("removes all that a session has taken once it is deleted, but nothing that a setup session has", async () => {
  const deleteSnapshot = vi.fn((_snapshotId: string) => Promise.resolve());
  const provider = { type: "faraway", deleteSnapshot };
  started.add(await startSnapshotRemover({ store: test.store, provider, log }));
  const { configurationId } = await createTestConfiguration(test.store, organization);
  await deleteAfterSnapshots({ kind: "setup", configurationId }, ["snap-setup"]);
  await deleteAfterSnapshots({ kind: "coding" }, ["snap-first", "snap-second"]);
  await vi.waitFor(() => {
    expect(deleteSnapshot).toHaveBeenCalledWith("snap-second");
  }, patience);
  await started.stop();
  expect(deleteSnapshot.mock.calls).toEqual([["snap-first"], ["snap-second"]]);
});
