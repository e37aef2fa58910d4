/**
 * What an agent is told of a session whose conversation it has lost: its sandbox was replaced by one
 * without the agent server's files, and the transcript is what is left.
 */
import { assertNever } from "#contracts/assert-never";
import type { Message, MessagePart } from "#contracts/transcript/message";
import { domainEventsOf } from "#event-store/aggregates/domain-events";
import type { EventStore } from "#event-store/event-store";
import { readAggregate } from "#event-store/reading/read-aggregate";
import type { OwnerContext } from "../owner-context.ts";

/** In characters: some 6,000 tokens, which every model has room for beside its work. */
const longestMemory = 24_000;
const longestText = 4_000;

const heading =
  "This is a record of the session so far, because your former sandbox was lost with your own memory of it. " +
  "Files may be missing or older than it says. What it says was said then; answer only what you are asked after it.";

/** The messages of a session's transcript, oldest first, each as it was recorded last. */
export const readTranscript = async (
  store: EventStore,
  { organization, session }: Pick<OwnerContext, "organization" | "session">,
): Promise<readonly Message[]> => {
  const messages = new Map<string, Message>();
  const ref = { organization, aggregate: "transcript", id: session } as const;
  for await (const { commit } of readAggregate(store, ref)) {
    for (const event of domainEventsOf(commit)) {
      if (event.type === "MessageRecorded") messages.set(event.data.message.id, event.data.message);
    }
  }
  return [...messages.values()];
};

/**
 * The record, with the newest turns where not all of them fit; null when there is nothing to tell.
 * @param openPrompts prompts that are about to be given to the agent, and would be told twice
 */
export const memoryOf = (
  messages: readonly Message[],
  openPrompts: ReadonlySet<string>,
): string | null => {
  const entries = messages
    .filter(({ id }) => !openPrompts.has(id))
    .map(entryOf)
    .filter((entry) => entry !== "");
  const kept: string[] = [];
  let length = 0;
  for (const entry of entries.toReversed()) {
    length += entry.length;
    if (length > longestMemory) break;
    kept.unshift(entry);
  }
  if (kept.length === 0) return null;
  const leftOut = entries.length - kept.length;
  const gap = leftOut > 0 ? [`[${leftOut} earlier messages are left out]`] : [];
  return ["<session-record>", heading, ...gap, ...kept, "</session-record>"].join("\n\n");
};

const entryOf = ({ role, parts }: Message): string => {
  const said = parts.map(lineOf).filter((line) => line !== "");
  return said.length === 0 ? "" : `${role === "user" ? "User" : "You"}: ${said.join("\n")}`;
};

const lineOf = (part: MessagePart): string => {
  switch (part.kind) {
    case "text":
      return shortened(part.text);
    case "reasoning":
      return "";
    case "tool":
      return `(tool ${part.tool}${part.title ? `, ${shortened(part.title)}` : ""}: ${part.status})`;
    default:
      return assertNever(part);
  }
};

/** Nothing that was said can end the record before its end. */
const shortened = (text: string): string => {
  const inside = text.trim().replaceAll("session-record>", "session-record >");
  return inside.length <= longestText ? inside : `${inside.slice(0, longestText)} […]`;
};
