import { expect, test } from "vitest";
import { newId } from "#contracts/ids";
import type { SandboxProvider } from "#sandbox/provider/provider";
import { tearDown } from "./tear-down.ts";

const sandbox = { sessionId: newId("session"), sandboxId: "sandbox-1", snapshotId: null };

/** A provider that only notes what is asked of it, with a snapshot of this session and one of another. */
const noting = (catalogue: boolean) => {
  const asked: string[] = [];
  const provider = {
    terminate: () => Promise.resolve(void asked.push("terminate")),
    ...(catalogue && {
      listSnapshots: () =>
        Promise.resolve([
          { snapshotId: "own", sessionId: sandbox.sessionId, createdAt: 0 },
          { snapshotId: "other", sessionId: newId("session"), createdAt: 0 },
        ]),
      deleteSnapshot: (id: string) => Promise.resolve(void asked.push(`delete ${id}`)),
    }),
  } as unknown as SandboxProvider;
  return { provider, asked };
};

test("a deleted session leaves neither a sandbox nor a snapshot", async () => {
  const { provider, asked } = noting(true);
  await tearDown(provider, sandbox, { kind: "coding" });
  expect(asked).toEqual(["terminate", "delete own"]);
});

test("what a setup session has saved stays with its configuration", async () => {
  const { provider, asked } = noting(true);
  await tearDown(provider, sandbox, { kind: "setup" });
  expect(asked).toEqual(["terminate"]);
});

test("a provider that lists no snapshots ends the sandbox alone", async () => {
  const { provider, asked } = noting(false);
  await tearDown(provider, sandbox, { kind: "automation" });
  expect(asked).toEqual(["terminate"]);
});
