import { expect, test } from "vitest";
import { newId } from "#contracts/ids";
import type { SessionKind } from "#contracts/session/kind";
import type { SandboxProvider } from "#sandbox/provider/provider";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import type { OwnerContext } from "../owner-context.ts";
import { tearDown } from "./tear-down.ts";

const session = newId("session");

/** A provider that only notes what is asked of it, with a snapshot of this session and one of another. */
const noting = (catalogue: boolean) => {
  const asked: string[] = [];
  const provider = {
    terminate: ({ sandboxId }: SandboxRef) =>
      Promise.resolve(void asked.push(`terminate ${sandboxId}`)),
    ...(catalogue && {
      listSnapshots: () =>
        Promise.resolve([
          { snapshotId: "own", sessionId: session, createdAt: 0 },
          { snapshotId: "other", sessionId: newId("session"), createdAt: 0 },
        ]),
      deleteSnapshot: (id: string) => Promise.resolve(void asked.push(`delete ${id}`)),
    }),
  } as unknown as SandboxProvider;
  const values = {
    read: () => Promise.resolve({}),
    forget: (_of: unknown, names: readonly string[]) =>
      Promise.resolve(void asked.push(`forget ${names.join()}`)),
  };
  const owner = { deps: { provider, values }, organization: newId("organization"), session };
  const end = (kind: SessionKind) =>
    tearDown(owner as unknown as OwnerContext, { ...ended, kind } as ExistingSession);
  return { end, asked };
};

const ended: Partial<ExistingSession> = {
  status: "stopped",
  sandboxId: "sandbox-1",
  generation: 0,
  spares: [],
  environment: { names: ["TOKEN"], version: 1 },
};

test("a deleted session leaves no sandbox, no snapshot and no value", async () => {
  const { end, asked } = noting(true);
  await end("coding");
  expect(asked).toEqual(["terminate sandbox-1", "delete own", "forget TOKEN"]);
});

test("what a setup session has saved stays with its configuration", async () => {
  const { end, asked } = noting(true);
  await end("setup");
  expect(asked).toEqual(["terminate sandbox-1", "forget TOKEN"]);
});

test("a provider that lists no snapshots ends the sandbox alone", async () => {
  const { end, asked } = noting(false);
  await end("automation");
  expect(asked).toEqual(["terminate sandbox-1", "forget TOKEN"]);
});
