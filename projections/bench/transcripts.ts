/** What the bench writes: sessions with prompts and answers, one event to a commit. */
import type { AggregateRef } from "#contracts/commit";
import type { AnyEvent } from "#contracts/event-registry";
import { newId } from "#contracts/ids";
import * as events from "../testing/events.ts";

export interface PlannedCommit {
  readonly ref: AggregateRef;
  readonly event: AnyEvent;
}

/** About 400 bytes of an answer. */
const answer =
  "The test fails because the total of the cart is computed before the discount is applied. " +
  "I have moved the call, run the whole suite again, and all 42 tests pass now. The rounding in " +
  "`formatPrice` was also off by one cent for negative amounts; I left that as it is, since no " +
  "test covers it and nobody asked for it. Tell me if you want me to open a separate change.";

/** The commits of one session in order: opened, booted, and then turns of a prompt and its answers. */
export const sessionCommits = (organization: string, turns: number): readonly PlannedCommit[] => {
  const session = events.sessionRef(organization);
  const transcript = events.transcriptRef(organization, session.id);
  const commits: PlannedCommit[] = [
    { ref: session, event: events.sessionCreated() },
    { ref: session, event: { type: "SandboxStarting", data: { epoch: 1, provider: "local" } } },
    { ref: session, event: events.sandboxReady },
  ];
  for (let turn = 0; turn < turns; turn += 1) {
    const promptId = newId("prompt");
    commits.push(
      { ref: session, event: events.promptQueued(promptId) },
      { ref: session, event: { type: "PromptStarted", data: { epoch: 1, promptId } } },
      ...[0, 1, 2, 3].map((index) => ({
        ref: transcript,
        event: events.messageRecorded(`${promptId}_${index}`, answer),
      })),
      { ref: session, event: events.promptFinished(promptId) },
    );
  }
  return commits;
};
