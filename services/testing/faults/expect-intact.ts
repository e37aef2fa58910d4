/**
 * What must be so of a session after any fault, however it went in between: no prompt lost, no message
 * doubled, one owner at a time, and all who watched saw what the read model has.
 */
import { expect, vi } from "vitest";
import { getSession, listMessages } from "#contracts/http/sessions";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { Message } from "#contracts/transcript/message";
import type { MessageView } from "#contracts/transcript/view";
import type { EventStore } from "#event-store/event-store";
import type { Client } from "../../client/client.ts";
import type { TranscriptFollower } from "./follow-transcript.ts";
import { readHistory, type SessionHistory } from "./session-history.ts";

const defaultPatienceMs = 30_000;

export interface Faulted {
  readonly client: Client;
  readonly store: EventStore;
  readonly organization: OrganizationId;
  readonly session: SessionId;
  /** How many prompts were accepted. */
  readonly prompts: number;
  /** Those who have watched since before the fault. */
  readonly followers: readonly TranscriptFollower[];
  /** How long to wait for what must come, in milliseconds; 30 s unless told. */
  readonly patienceMs?: number;
}

export interface Intact {
  readonly messages: readonly MessageView[];
  readonly history: SessionHistory;
}

/** Waits until the session has come to rest, checks it, and answers what was found. */
export const expectIntact = async (faulted: Faulted): Promise<Intact> => {
  const { client, store, session: sessionId, followers } = faulted;
  const patience = { timeout: faulted.patienceMs ?? defaultPatienceMs, interval: 50 };
  const params = { sessionId };
  await vi.waitFor(async () => {
    const { openPrompts } = await client.call(getSession, { params, query: {} });
    expect(openPrompts).toBe(0);
  }, patience);
  const history = await readHistory(store, faulted);
  expect(history.prompts).toHaveLength(faulted.prompts);
  expect([...history.finished].sort()).toEqual([...history.prompts].sort());
  expect(history.strays).toEqual([]);

  // The read model of messages has a checkpoint of its own, and the live channel its own pace.
  const messages = await vi.waitFor(async () => {
    const found = (await client.call(listMessages, { params, query: {} })).messages;
    for (const promptId of history.prompts) expectAnsweredOnce(found, promptId);
    for (const follower of followers) {
      expect(follower.messages().map(withoutPlace)).toEqual(found.map(withoutPlace));
      expect(follower.streaming()).toEqual([]);
    }
    return found;
  }, patience);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  return { messages, history };
};

const expectAnsweredOnce = (messages: readonly MessageView[], promptId: string): void => {
  const own = messages.filter((message) => message.promptId === promptId);
  expect(own.filter(({ role }) => role === "user")).toHaveLength(1);
  expect(own.filter(({ role, finish }) => role === "assistant" && finish === "stop")).toHaveLength(
    1,
  );
};

/** A message that was told live has no index and no time yet, and its author may not have a name. */
const withoutPlace = (message: Message & Partial<MessageView>): Message => {
  const { index: _index, at: _at, author: _author, ...told } = message;
  return told;
};
