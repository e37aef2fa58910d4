import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDomainError } from "#contracts/errors";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";
import { sessionDecider } from "./decider.ts";
import type { SessionState } from "./state.ts";
import { create, failure, promptId, queue } from "../testing/session-events.ts";

/** A fixed seed: a test of a build says the same each time. */
const runs = { numRuns: 500, seed: 1_645_727_790 };
const epoch = fc.integer({ min: 1, max: 6 });
const name = fc.constantFrom("a", "b", "c");

/** Whatever people and owners of any epoch may send, in any order. */
const anyCommand: fc.Arbitrary<SessionCommand> = fc.oneof(
  name.map((text) => queue(text)),
  fc.constantFrom<SessionCommand>(
    { type: "CancelPrompts" },
    { type: "RequestPause" },
    { type: "RequestResume" },
  ),
  epoch.map((n) => ({ type: "AcquireOwnership", instance: `runner-${n}`, epoch: n }) as const),
  epoch.map((n) => ({ type: "StartSandbox", epoch: n, provider: "local" }) as const),
  epoch.map(
    (n) =>
      ({
        type: "ReportSandboxReady",
        epoch: n,
        sandboxId: `sandbox-${n}`,
        agentSessionId: "agent",
        bootMs: 1,
        expiresAt: null,
      }) as const,
  ),
  epoch.map((n) => ({ type: "ReportSandboxFailed", epoch: n, failure }) as const),
  epoch.map((n) => ({ type: "ReportPaused", epoch: n }) as const),
  fc
    .tuple(epoch, name)
    .map(([n, text]) => ({ type: "StartPrompt", epoch: n, promptId: promptId(text) }) as const),
  fc.tuple(epoch, name).map(
    ([n, text]) =>
      ({
        type: "FinishPrompt",
        epoch: n,
        promptId: promptId(text),
        outcome: "completed",
        failure: null,
      }) as const,
  ),
);

/** The log that these commands make; what is refused leaves no trace. */
const logOf = (commands: readonly SessionCommand[]) => {
  let state: SessionState = sessionDecider.initialState();
  const log: SessionEvent[] = [];
  for (const command of [create, ...commands]) {
    try {
      const events = sessionDecider.decide(command, state);
      log.push(...events);
      state = events.reduce(sessionDecider.evolve, state);
      // Whatever was carried out changes nothing when it comes again at once.
      expect(sessionDecider.decide(command, state)).toSatisfy(
        (again: readonly SessionEvent[]) => again.length === 0 || command.type === "StartSandbox",
      );
    } catch (error) {
      if (!isDomainError(error)) throw error;
    }
  }
  return { log, state };
};

describe("an owner that was replaced", () => {
  it("writes nothing any more", () => {
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 60 }), (commands) => {
        let present = 0;
        for (const { type, data } of logOf(commands).log) {
          if (type === "OwnershipAcquired") {
            expect(data.epoch).toBeGreaterThan(present);
            present = data.epoch;
          } else if ("epoch" in data) {
            expect(data.epoch).toBe(present);
          }
        }
      }),
      runs,
    );
  });
});

describe("every prompt that was queued", () => {
  it("is answered once at most, in order of its asking, and open until then", () => {
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 60 }), (commands) => {
        const { log, state } = logOf(commands);
        const ids = (type: SessionEvent["type"]) =>
          log.flatMap((event) =>
            event.type === type && "promptId" in event.data ? [event.data.promptId] : [],
          );
        const queued = ids("PromptQueued");
        const done = ids("PromptFinished");
        expect(new Set(queued).size).toBe(queued.length);
        expect(new Set(done).size).toBe(done.length);
        const open = state.status === "none" ? [] : state.prompts.map((prompt) => prompt.promptId);
        expect(open).toEqual(queued.filter((id) => !done.includes(id)));
      }),
      runs,
    );
  });
});
