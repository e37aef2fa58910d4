import { describe, expect, it } from "vitest";
import type { SessionEvent } from "#contracts/session/events";
import { evolveSession } from "../sessions/aggregate/evolve.ts";
import { existing, type SessionState } from "../sessions/aggregate/state.ts";
import {
  failed,
  failure,
  finished,
  paused,
  promptId,
  queued,
  ready,
  running,
  started,
  starting,
  stopped,
} from "../sessions/testing/session-events.ts";
import { outcomeOf } from "./untold.ts";

const after = (...events: readonly SessionEvent[]) =>
  existing(events.reduce<SessionState>(evolveSession, { status: "none" }));

const tried = { requestId: "try", services: [], failure };
const trial: readonly SessionEvent[] = [
  { type: "ServiceTrialRequested", data: { requestId: "try" } },
  { type: "ServicesTried", data: { epoch: 7, ...tried } },
];
const snapshot: readonly SessionEvent[] = [
  { type: "SnapshotRequested", data: { requestId: "live:save", message: null } },
  { type: "SnapshotTaken", data: { epoch: 7, requestId: "live:save", snapshotId: "snap-1" } },
];
const toldOfSnapshot = { type: "snapshot_result", requestId: "save" };
const moving: readonly SessionEvent[] = [
  { type: "MigrationRequested", data: {} },
  { type: "MigrationFailed", data: { epoch: 7, failure } },
];
const answered = [queued("one"), started(7, "one"), finished(7, "one")];
const end = {
  type: "prompt_finished",
  promptId: promptId("one"),
  outcome: "completed",
  failure: null,
};
const status = (name: string, detail: string | null = null) => ({
  type: "status",
  status: name,
  detail,
});

describe("what is told again of a session at rest", () => {
  it.each([
    ["a start", after(...running), [starting(7)], [status("running")]],
    [
      "a start that failed",
      after(...running, failed(7)),
      [starting(7)],
      [status("failed", failure.message)],
    ],
    [
      "a start after a failure",
      after(...running, failed(7), starting(7), ready(7)),
      [starting(7)],
      [status("running")],
    ],
    ["a prompt that was answered", after(...running, ...answered), [queued("one")], [end]],
    [
      "an earlier prompt",
      after(...running, queued("zero"), finished(7, "zero"), ...answered),
      [queued("zero")],
      [],
    ],
    [
      "a prompt in a session that was put away since",
      after(...running, ...answered, paused(7)),
      [queued("one")],
      [end, status("paused")],
    ],
    ["a deletion", after(...running, stopped), [stopped], [status("stopped")]],
    [
      "a trial of services",
      after(...running, ...trial),
      trial.slice(0, 1),
      [{ type: "auto_start_finished", ...tried }],
    ],
    [
      "an earlier trial",
      after(...running, ...trial),
      [{ type: "ServiceTrialRequested", data: { requestId: "other" } }],
      [],
    ],
    [
      "a snapshot",
      after(...running, ...snapshot),
      snapshot.slice(0, 1),
      [{ ...toldOfSnapshot, snapshotId: "snap-1", failure: null }],
    ],
    [
      "a snapshot that is still to be taken",
      after(...running, ...snapshot.slice(0, 1)),
      snapshot.slice(0, 1),
      [],
    ],
    [
      "a snapshot that was forgotten",
      after(...running, ...snapshot.slice(0, 1), paused(7)),
      snapshot.slice(0, 1),
      [
        {
          ...toldOfSnapshot,
          snapshotId: null,
          failure: expect.objectContaining({ code: "session_not_running" }) as unknown,
        },
        status("paused"),
      ],
    ],
    [
      "a move that failed",
      after(...running, ...moving),
      moving.slice(0, 1),
      [status("running", failure.message)],
    ],
  ] as const)("%s", (_, state, called, told) => {
    expect(outcomeOf(state, called)).toEqual(told);
  });
});
