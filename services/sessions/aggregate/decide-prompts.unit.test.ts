import { expect, it } from "vitest";
import type { SessionEvent } from "#contracts/session/events";
import { maxOpenPrompts } from "#contracts/session/limits";
import { deciderSpec } from "../../testing/decider-spec.ts";
import { sessionDecider } from "./decider.ts";
import {
  acquired,
  finished,
  promptId,
  queue,
  queued,
  running,
  started,
} from "../testing/session-events.ts";

const { given } = deciderSpec(sessionDecider);
const one = promptId("one");
const changed: SessionEvent = { type: "PromptChanged", data: { promptId: one, text: "better" } };
const change = { type: "ChangePrompt", promptId: one, text: "better" } as const;
const withdraw = { type: "WithdrawPrompt", promptId: one } as const;
const withdrawn: SessionEvent = { type: "CancelRequested", data: { promptIds: [one] } };

it("a prompt that waits can be worded anew, and its request is known as it came first", () => {
  given(...running, queued("one"))
    .when(change)
    .then(changed);
  const after = [...running, queued("one"), changed];
  given(...after)
    .when(change)
    .then();
  expect(given(...after).state()).toMatchObject({ prompts: [{ text: "better" }] });
  given(...after)
    .when(queue("one"))
    .then();
  given(...after, started(7, "one"), finished(7, "one"))
    .when(queue("one"))
    .then();
});

it("a prompt that waits can be taken back, without those around it", () => {
  given(...running, queued("zero"), queued("one"), queued("two"))
    .when(withdraw)
    .then(withdrawn);
  given(...running, queued("one"), withdrawn)
    .when(withdraw)
    .then();
});

it("a prompt that is being answered, or that is not there, stays as it is", () => {
  for (const command of [change, withdraw]) {
    given(...running, queued("one"), started(7, "one"))
      .when(command)
      .thenRejects("prompt_started");
    // The agent is at it, whoever owns the session by now.
    given(...running, queued("one"), started(7, "one"), acquired(8))
      .when(command)
      .thenRejects("prompt_started");
    given(...running)
      .when(command)
      .thenRejects("prompt_not_found");
  }
});

it("the queue takes so many prompts and no more, until one of them is answered", () => {
  const names = Array.from({ length: maxOpenPrompts }, (_, n) => `p${n}`);
  const full = [...running, ...names.map((name) => queued(name))];
  given(...full)
    .when(queue("more"))
    .thenRejects("prompt_queue_full");
  given(...full)
    .when(queue("p0"))
    .then();
  given(...full, started(7, "p0"), finished(7, "p0"))
    .when(queue("more"))
    .then(queued("more"));
});

it("a session is renamed once", () => {
  const rename = { type: "RenameSession", title: "Better" } as const;
  const renamed: SessionEvent = { type: "SessionRenamed", data: { title: "Better" } };
  given(...running)
    .when(rename)
    .then(renamed);
  given(...running, renamed)
    .when(rename)
    .then();
});
