import { expect, test } from "vitest";
import { newId } from "#contracts/ids";
import type { SandboxProvider } from "#sandbox/provider/provider";
import { endIdleSandbox, pause, type PauseContext, pauseIdle } from "./pause.ts";

const sandbox = { sessionId: newId("session"), sandboxId: "sandbox-1", snapshotId: null };
const { signal } = new AbortController();

/** A provider that cannot pause, and only notes that it is to end the sandbox. */
const failing = () => {
  const done: string[] = [];
  const provider = {
    capabilities: { pause: true },
    pause: () => Promise.reject(new Error("The disk is full.")),
    terminate: () => {
      done.push("terminate");
      return Promise.resolve();
    },
  } as unknown as SandboxProvider;
  const context: PauseContext = {
    deps: { provider, log: { info: () => {}, warn: () => {}, error: () => {} } },
    session: sandbox.sessionId,
    epoch: 7,
    tell: () => undefined,
    command: ({ type }) => {
      done.push(type);
      return Promise.resolve({ status: "none" });
    },
  };
  return { context, done };
};

test("a pause of somebody's that fails is not reported as anything else", async () => {
  const { context, done } = failing();
  await expect(pause(context, sandbox)).rejects.toThrow("The disk is full.");
  expect(done).toEqual([]);
});

test("an idle pause that fails is counted, and thrown by nobody", async () => {
  const { context, done } = failing();
  await pauseIdle(context, sandbox, signal);
  expect(done).toEqual(["ReportIdlePauseFailed"]);
});

test("an owner that is to stop counts nothing", async () => {
  const { context, done } = failing();
  await expect(pauseIdle(context, sandbox, AbortSignal.abort())).rejects.toThrow();
  expect(done).toEqual([]);
});

test("the sandbox is ended before that is reported, so that a death in between ends it again", async () => {
  const { context, done } = failing();
  await endIdleSandbox(context, sandbox);
  expect(done).toEqual(["terminate", "ReportIdleSandboxEnded"]);
});
