import { expect, test } from "vitest";
import { newId } from "#contracts/ids";
import type { SandboxProvider } from "#sandbox/provider/provider";
import type { SandboxState } from "#sandbox/provider/sandbox";
import { type PutAwayContext, putAway } from "./put-away.ts";

const sandbox = { sessionId: newId("session"), sandboxId: "sandbox-1", snapshotId: null };

/** A provider that only notes what is asked of it. */
const noting = (pause: boolean, state: SandboxState) => {
  const asked: string[] = [];
  const note =
    <T>(name: string, answer: T) =>
    () => {
      asked.push(name);
      return Promise.resolve(answer);
    };
  const provider = {
    capabilities: { pause },
    pause: note("pause", undefined),
    health: () => Promise.resolve({ state, agent: "ended", detail: null }),
    snapshot: note("snapshot", "im-1"),
    terminate: note("terminate", undefined),
  } as unknown as SandboxProvider;
  const context: PutAwayContext = {
    deps: { provider },
    epoch: 7,
    command: (command) => {
      asked.push(JSON.stringify(command));
      return Promise.resolve({ status: "none" });
    },
  };
  return { context, asked };
};

test("where the provider can pause, the sandbox is paused", async () => {
  const { context, asked } = noting(true, "running");
  await putAway(context, sandbox);
  expect(asked).toEqual(["pause"]);
});

test("elsewhere its snapshot is on record before it ends", async () => {
  const { context, asked } = noting(false, "running");
  await putAway(context, sandbox);
  const recorded = '{"type":"ReportPutAway","epoch":7,"snapshotId":"im-1"}';
  expect(asked).toEqual(["snapshot", recorded, "terminate"]);
});

test("a sandbox that is gone is away", async () => {
  const { context, asked } = noting(false, "gone");
  await putAway(context, sandbox);
  expect(asked).toEqual([]);
});
