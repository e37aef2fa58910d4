import { describe, expect, it } from "vitest";
import { deciderSpec } from "../../testing/decider-spec.ts";
import { sessionDecider } from "./decider.ts";
import { type OpenPrompt, rememberedPrompts } from "./state.ts";
import {
  acquired,
  create,
  created,
  failed,
  failure,
  finished,
  paused,
  pauseRequested,
  promptId,
  queue,
  queued,
  ready,
  resumeRequested,
  running,
  started,
  starting,
  stopped,
} from "../testing/session-events.ts";

const { given } = deciderSpec(sessionDecider);
const openPrompts = (
  state: ReturnType<ReturnType<typeof given>["state"]>,
): readonly OpenPrompt[] => (state.status === "none" ? [] : state.prompts);

describe("creating a session", () => {
  it("happens once for the same request, with its first prompt", () => {
    const { promptId: id, text, by } = queue("first");
    const withPrompt = { ...create, prompt: { promptId: id, text, by } };
    given().when(withPrompt).then(created, queued("first"));
    given(created, queued("first")).when(withPrompt).then();
    given(created, stopped).when(create).then();
  });

  it("is refused when the key was used for another request", () => {
    given(created)
      .when({ ...create, fingerprint: "b".repeat(64) })
      .thenRejects("idempotency_key_reused");
  });
});

describe("the provider of a session's sandbox", () => {
  it("is the one that it was started at first", () => {
    const start = { type: "StartSandbox", epoch: 7, provider: "local" } as const;
    given(created, acquired(7), failed(7)).when(start).then(starting(7));
    given(...running)
      .when(start)
      .then(starting(7));
    given(...running)
      .when({ ...start, provider: "e2b" })
      .thenRejects("sandbox_provider_changed");
  });
});

describe("prompts", () => {
  it("are queued once, also when they come again after they were answered", () => {
    given(created).when(queue("a")).then(queued("a"));
    given(created, queued("a")).when(queue("a")).then();
    given(...running, queued("a"), started(7, "a"), finished(7, "a"))
      .when(queue("a"))
      .then();
    given(created, queued("a")).when(queue("a", "other")).thenRejects("idempotency_key_reused");
    given(...running, queued("a"), finished(7, "a"))
      .when(queue("a", "other"))
      .thenRejects("idempotency_key_reused");
  });

  it("are remembered only as long as a repetition is likely", () => {
    const many = Array.from({ length: rememberedPrompts + 1 }, (_, n) => `p${n}`);
    const answered = many.flatMap((name) => [queued(name), finished(7, name)]);
    const state = given(...running, ...answered).state();
    expect(state).toMatchObject({
      prompts: [],
      finished: { length: rememberedPrompts },
      lastEnd: { promptId: promptId(`p${rememberedPrompts}`), outcome: "completed", failure: null },
    });
  });

  it("start in the order in which they were asked, and once for each owner", () => {
    const start = (name: string, epoch = 7) =>
      ({ type: "StartPrompt", epoch, promptId: promptId(name) }) as const;
    const two = [...running, queued("a"), queued("b")];
    given(...two)
      .when(start("b"))
      .thenRejects("prompt_not_found");
    given(...two)
      .when(start("a"))
      .then(started(7, "a"));
    given(...two, started(7, "a"))
      .when(start("a"))
      .then();
    given(...two, started(7, "a"), acquired(9), ready(9))
      .when(start("a", 9))
      .then(started(9, "a"));
    given(...two, finished(7, "a"))
      .when(start("b"))
      .then(started(7, "b"));
    given(created, queued("a"), acquired(7)).when(start("a")).thenRejects("session_not_running");
  });

  it("finish once, whatever became of the sandbox", () => {
    const finish = {
      type: "FinishPrompt",
      epoch: 7,
      promptId: promptId("a"),
      outcome: "completed",
      failure: null,
    } as const;
    given(...running, queued("a"), started(7, "a"))
      .when(finish)
      .then(finished(7, "a"));
    given(...running, queued("a"), failed(7))
      .when(finish)
      .then(finished(7, "a"));
    given(...running, queued("a"), finished(7, "a"))
      .when(finish)
      .then();
    given(...running)
      .when(finish)
      .thenRejects("prompt_not_found");
  });

  it("are cancelled together, each once", () => {
    const cancel = { type: "CancelPrompts" } as const;
    const requested = (...names: string[]) =>
      ({ type: "CancelRequested", data: { promptIds: names.map(promptId) } }) as const;
    given(created).when(cancel).then();
    given(created, queued("a"), queued("b")).when(cancel).then(requested("a", "b"));
    given(created, queued("a"), requested("a"), queued("b")).when(cancel).then(requested("b"));
    given(created, queued("a"), requested("a")).when(cancel).then();
  });

  it("reopen a session that is paused or has failed", () => {
    expect(given(...running, paused(7), queued("a")).state()).toMatchObject({ status: "pending" });
    expect(given(...running, failed(7), queued("a")).state()).toMatchObject({ status: "pending" });
  });
});

describe("ownership", () => {
  it("goes to a higher epoch only, and the same acquisition counts once", () => {
    const acquire = (epoch: number, instance = `runner-${epoch}`) =>
      ({ type: "AcquireOwnership", instance, epoch }) as const;
    given(created).when(acquire(7)).then(acquired(7));
    given(created, acquired(7)).when(acquire(7)).then();
    given(created, acquired(7)).when(acquire(7, "another")).thenRejects("stale_owner");
    given(created, acquired(7)).when(acquire(6)).thenRejects("stale_owner");
    given(created, acquired(7)).when(acquire(12)).then(acquired(12));
  });

  it("is needed for what only an owner may say", () => {
    const pause = { type: "ReportPaused", epoch: 7 } as const;
    given(created).when(pause).thenRejects("stale_owner");
    given(...running, acquired(8))
      .when(pause)
      .thenRejects("stale_owner");
  });

  it("passes on with nothing started, so that the new owner starts anew", () => {
    const state = given(...running, queued("a"), started(7, "a"), acquired(8)).state();
    expect(openPrompts(state)).toMatchObject([{ promptId: promptId("a"), started: false }]);
  });
});

describe("the sandbox", () => {
  const reportReady = { type: "ReportSandboxReady", ...ready(7).data } as const;

  it("comes up once, and its repeated report says nothing new", () => {
    given(created, acquired(7))
      .when({ type: "StartSandbox", epoch: 7, provider: "local" })
      .then(starting(7));
    given(created, acquired(7), starting(7)).when(reportReady).then(ready(7));
    given(...running)
      .when(reportReady)
      .then();
    const other = { ...reportReady, sandboxId: "sandbox-2" };
    given(...running)
      .when(other)
      .then({ ...ready(7), data: { ...ready(7).data, sandboxId: "sandbox-2" } });
  });

  it("does not come up for a session that was paused meanwhile", () => {
    given(...running, paused(7))
      .when(reportReady)
      .thenRejects("session_not_running");
  });

  it("fails once", () => {
    const report = { type: "ReportSandboxFailed", epoch: 7, failure } as const;
    given(created, acquired(7), starting(7)).when(report).then(failed(7));
    given(created, acquired(7), failed(7)).when(report).then();
  });
});

describe("pausing", () => {
  const request = { type: "RequestPause" } as const;
  const resume = { type: "RequestResume" } as const;
  const report = { type: "ReportPaused", epoch: 7 } as const;

  it("is asked for once, and done once", () => {
    given(...running)
      .when(request)
      .then(pauseRequested);
    given(...running, pauseRequested)
      .when(request)
      .then();
    given(...running, paused(7))
      .when(request)
      .then();
    given(...running, pauseRequested)
      .when(report)
      .then(paused(7));
    given(...running, paused(7))
      .when(report)
      .then();
  });

  it("keeps the prompts that were open before it", () => {
    const state = given(
      ...running,
      queued("a"),
      started(7, "a"),
      pauseRequested,
      paused(7),
    ).state();
    expect(state).toMatchObject({ status: "paused", prompts: [{ started: false }] });
  });

  it("is followed by a resumption for whoever asked while it was under way", () => {
    const asked = [...running, pauseRequested, queued("a")];
    expect(given(...asked).state()).toMatchObject({ pause: "withdrawn" });
    given(...asked)
      .when(report)
      .then(paused(7), resumeRequested);
    given(...asked, paused(7), resumeRequested)
      .when(report)
      .then();
    given(...running, pauseRequested, resumeRequested)
      .when(report)
      .then(paused(7), resumeRequested);
    given(...asked, started(7, "a"), finished(7, "a"))
      .when(report)
      .then(paused(7));
  });

  it("ends with a resumption, which a running session does not need", () => {
    given(...running, paused(7))
      .when(resume)
      .then(resumeRequested);
    given(...running, failed(7))
      .when(resume)
      .then(resumeRequested);
    given(...running)
      .when(resume)
      .then();
    expect(given(...running, paused(7), resumeRequested).state()).toMatchObject({
      status: "pending",
    });
  });
});

describe("deleting", () => {
  it("happens once and ends everything else", () => {
    given(...running)
      .when({ type: "DeleteSession" })
      .then(stopped);
    given(...running, stopped)
      .when({ type: "DeleteSession" })
      .then();
    given(...running, stopped)
      .when(queue("a"))
      .thenRejects("session_stopped");
    given(...running, stopped)
      .when({ type: "RequestResume" })
      .thenRejects("session_stopped");
    given(...running, stopped)
      .when({ type: "AcquireOwnership", instance: "runner-9", epoch: 9 })
      .thenRejects("session_stopped");
  });

  it("needs a session, as all but creating one does", () => {
    given().when({ type: "DeleteSession" }).thenRejects("session_not_found");
    given().when(queue("a")).thenRejects("session_not_found");
  });
});
