import { describe, expect, it } from "vitest";
import type { ExistingSession } from "../sessions/aggregate/state.ts";
import { needsOwner, nextStep } from "./next-step.ts";

const prompt = {
  promptId: "prm_1",
  text: "hello",
  fingerprint: "f",
  by: "usr_1",
  started: false,
  begun: false,
  cancelRequested: false,
} as const;
const session = (changes: Partial<ExistingSession>): ExistingSession =>
  ({
    status: "pending",
    pause: "none",
    idlePause: null,
    prompts: [],
    snapshotRequests: [],
    spares: [],
    ...changes,
  }) as unknown as ExistingSession;

const snapshotRequests = [{ requestId: "one", message: null }];

describe("what an owner does next", () => {
  it.each([
    ["a new session is brought up", session({}), false, "bring_up"],
    [
      "a sandbox of an earlier owner is taken over",
      session({ status: "running" }),
      false,
      "bring_up",
    ],
    ["a prompt is answered", session({ status: "running", prompts: [prompt] }), true, "answer"],
    [
      "a snapshot that was asked for comes before the next prompt",
      session({ status: "running", prompts: [prompt], snapshotRequests }),
      true,
      "snapshot",
    ],
    ["without a prompt there is nothing to do", session({ status: "running" }), true, "wait"],
    [
      "a prompt that was cancelled before it began is dropped",
      session({ prompts: [{ ...prompt, cancelRequested: true }] }),
      false,
      "drop_prompt",
    ],
    [
      "a prompt that was taken back does not wait for those before it",
      session({
        status: "running",
        prompts: [prompt, { ...prompt, promptId: "prm_2", cancelRequested: true }],
      }),
      true,
      "drop_prompt",
    ],
    [
      "a prompt that the agent has from an earlier owner is not dropped, but stopped in the sandbox",
      session({ status: "running", prompts: [{ ...prompt, begun: true, cancelRequested: true }] }),
      false,
      "bring_up",
    ],
    [
      "a pause comes before prompts that wait",
      session({ status: "running", pause: "requested", prompts: [prompt] }),
      true,
      "pause",
    ],
    [
      "a sandbox that nobody uses and that cannot be put away is ended",
      session({ status: "running", pause: "requested", idlePause: { failures: 3 } }),
      true,
      "end_idle_sandbox",
    ],
    [
      "a session whose sandbox ends soon is moved before its next prompt",
      session({ status: "migrating", prompts: [prompt] }),
      true,
      "migrate",
    ],
    [
      "a migration that another owner was at begins with the sandbox that the session has",
      session({ status: "migrating" }),
      false,
      "bring_up",
    ],
    [
      "a pause is less work than a migration",
      session({ status: "migrating", pause: "requested" }),
      true,
      "pause",
    ],
    [
      "a sandbox that the session does not use is ended first, also of one that is away",
      session({ status: "paused", spares: [1] }),
      false,
      "end_spares",
    ],
    ["a paused session is left alone", session({ status: "paused" }), true, "leave"],
    ["a deleted session is torn down", session({ status: "stopped" }), true, "tear_down"],
  ])("%s", (_, state, held, kind) => {
    expect(nextStep(state, { sandboxHeld: held, sparesPutOff: false }).kind).toBe(kind);
  });

  it("goes on when a spare sandbox could not be ended", () => {
    const state = session({ status: "running", prompts: [prompt], spares: [1] });
    expect(nextStep(state, { sandboxHeld: true, sparesPutOff: true }).kind).toBe("answer");
  });

  it("needs an owner for whatever is left to be done, and for nothing else", () => {
    expect(needsOwner(session({ status: "running", prompts: [prompt] }))).toBe(true);
    expect(needsOwner(session({ status: "running", snapshotRequests }))).toBe(true);
    expect(needsOwner(session({}))).toBe(true);
    expect(needsOwner(session({ status: "migrating" }))).toBe(true);
    expect(needsOwner(session({ status: "running", spares: [0] }))).toBe(true);
    expect(needsOwner(session({ status: "running" }))).toBe(false);
    expect(needsOwner(session({ status: "paused" }))).toBe(false);
    expect(needsOwner({ status: "none" })).toBe(false);
  });
});
