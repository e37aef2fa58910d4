/** Sessions of a stack whose runners die, and what is to be seen of them. */
import { expect, vi } from "vitest";
import type { SessionId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import type { LiveEntry } from "#event-store/live/live-channel";
import { patience, type RunnerStack } from "../../runner/testing/runner-stack.ts";
import { transcriptAggregate } from "../../sessions/transcript/transcript-decider.ts";
import { expectIntact, type Intact } from "./expect-intact.ts";
import { followTranscript, type TranscriptFollower } from "./follow-transcript.ts";
import { readLive } from "./read-live.ts";
import { readHistory, type SessionHistory } from "./session-history.ts";

/** A session in the middle of its answer. */
export interface MidAnswer {
  readonly session: SessionId;
  readonly follower: TranscriptFollower;
  /** Lets the answer go on. */
  goOn(): void;
}

/** @param stack as it is when it is needed */
export const faultedSession = (stack: () => RunnerStack) => {
  const platformOf = () => {
    const { program, organization } = stack().stack;
    return { store: program.platform.store, organization };
  };

  const historyOf = (session: SessionId): Promise<SessionHistory> => {
    const { store, organization } = platformOf();
    return readHistory(store, { organization, session });
  };

  return {
    historyOf,
    intact: (
      session: SessionId,
      followers: readonly TranscriptFollower[] = [],
      prompts = 1,
    ): Promise<Intact> =>
      expectIntact({
        client: stack().stack.client,
        ...platformOf(),
        ...{ session, prompts, followers },
        patienceMs: patience.timeout,
      }),
    midAnswer: async (): Promise<MidAnswer> => {
      const answers = stack().host.holdAnswers("word");
      const session = await stack().create("one");
      const follower = await followTranscript(stack().stack.client, session);
      await answers.reached;
      await vi.waitFor(() => expect(follower.streaming()).toHaveLength(1), patience);
      return { session, follower, goOn: () => answers.open() };
    },
    /** Records the answer to the session's prompt in the name of its owner. */
    recordAsOwner: async (session: SessionId, id: string): Promise<void> => {
      const { store, organization } = platformOf();
      const history = await historyOf(session);
      const epoch = history.epochs.at(-1) ?? 0;
      const promptId = history.prompts[0] ?? null;
      const parts = [{ kind: "text" as const, id: "text", text: "This is all." }];
      const rest = { finish: "stop", failure: null, usage: null, cost: null, filesChanged: null };
      const message = { id, role: "assistant" as const, promptId, parts, ...rest };
      const meta = newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
      const command = { type: "RecordMessage", epoch, message, author: null } as const;
      await execute(store, transcriptAggregate, { organization, id: session }, command, meta);
    },
    /** What was said live of one type, also what nobody was told. */
    saidIn: async (
      session: SessionId,
      type: LiveMessage["type"],
    ): Promise<readonly LiveEntry[]> => {
      const { store, organization } = platformOf();
      const said = await readLive(store, { organization, session });
      return said.filter(({ message }) => message.type === type);
    },
  };
};
