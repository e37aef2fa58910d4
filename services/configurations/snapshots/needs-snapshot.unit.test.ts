import { expect, test } from "vitest";
import { derivedId } from "#contracts/ids";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import { needsSnapshot } from "./needs-snapshot.ts";

const madeFrom = (snapshotId: string, provider = "local"): ExistingSession["configuration"] => ({
  configurationId: derivedId("configuration", "1"),
  workspaceRevision: 1,
  serviceCommands: [],
  envFiles: null,
  previewPorts: [],
  snapshot: { snapshotId, provider, versionKey: null },
});

const session = (change: Partial<ExistingSession>): ExistingSession =>
  ({
    status: "pending",
    sandboxId: null,
    snapshotId: null,
    configuration: null,
    ...change,
  }) as ExistingSession;

test.each([
  ["has not had a sandbox yet", { configuration: madeFrom("a") }, true],
  ["is at its first start", { status: "starting", configuration: madeFrom("a") }, true],
  ["could not be started", { status: "failed", configuration: madeFrom("a") }, true],
  ["has a sandbox of its own", { sandboxId: "sandbox", configuration: madeFrom("a") }, false],
  ["has a snapshot of its own", { snapshotId: "own", configuration: madeFrom("a") }, false],
  ["was made from another one", { configuration: madeFrom("b") }, false],
  ["was put away in it", { status: "paused", snapshotId: "a" }, true],
  [
    "has a sandbox that stands on it",
    { sandboxId: "one", configuration: madeFrom("a", "e2b") },
    true,
  ],
  [
    "was deleted",
    { status: "stopped", snapshotId: "a", configuration: madeFrom("a", "e2b") },
    false,
  ],
] as const)("a session that %s: %o needs it: %s", (_what, change, needs) => {
  expect(needsSnapshot(session(change), "a")).toBe(needs);
});

test("what is not there needs nothing", () => {
  expect(needsSnapshot({ status: "none" }, "a")).toBe(false);
});
