/**
 * What is known of one OpenCode conversation, from events and from reading it again. An older view never
 * replaces a newer one, because after a reconnection both arrive.
 */
import type { AssistantInfo, FileDiff, OpencodePart, StoredMessage } from "./schemas.ts";

export interface KnownMessage {
  readonly info: AssistantInfo;
  readonly parts: ReadonlyMap<string, OpencodePart>;
}

export interface ConversationState {
  readonly user: (messageId: string) => boolean;
  readonly message: (messageId: string) => KnownMessage | undefined;
  /** By id, which is by time. */
  readonly assistants: () => readonly KnownMessage[];
  /** The newest message that answers a prompt. */
  readonly lastAnswerTo: (userMessageId: string) => KnownMessage | undefined;
  /** What was changed in answering a prompt, as far as OpenCode has said. */
  readonly changedFor: (userMessageId: string) => readonly FileDiff[];
  /** Whether the newest prompt has at least the beginning of an answer. */
  readonly answerBegun: () => boolean;
  /** True if the message was not known before. */
  readonly putInfo: (info: StoredMessage["info"]) => boolean;
  /** False if it is older than what is known, or belongs to a prompt. */
  readonly putPart: (part: OpencodePart) => boolean;
  readonly part: (messageId: string, partId: string) => OpencodePart | undefined;
}

export const partsInOrder = (message: KnownMessage): readonly OpencodePart[] =>
  [...message.parts.values()].sort((a, b) => (a.id < b.id ? -1 : 1));

export const conversationState = (): ConversationState => {
  const users = new Map<string, readonly FileDiff[]>();
  const infos = new Map<string, AssistantInfo>();
  // Parts may come before the message that they belong to.
  const partsOf = new Map<string, Map<string, OpencodePart>>();

  const partMap = (messageId: string): Map<string, OpencodePart> => {
    const parts = partsOf.get(messageId) ?? new Map<string, OpencodePart>();
    partsOf.set(messageId, parts);
    return parts;
  };
  const message = (messageId: string): KnownMessage | undefined => {
    const info = infos.get(messageId);
    return info && { info, parts: partMap(messageId) };
  };
  const assistants = () =>
    [...infos.values()]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((info) => ({ info, parts: partMap(info.id) }));

  return {
    user: (messageId) => users.has(messageId),
    message,
    assistants,
    lastAnswerTo: (id) => assistants().findLast(({ info }) => info.parentID === id),
    changedFor: (id) => users.get(id) ?? [],
    answerBegun: () => {
      const newestPrompt = [...users.keys()].sort().at(-1);
      const newestAnswer = assistants().at(-1)?.info.id;
      return (
        newestPrompt === undefined || (newestAnswer !== undefined && newestAnswer > newestPrompt)
      );
    },
    putInfo: (info) => {
      const isNew = !users.has(info.id) && !infos.has(info.id);
      if (info.role === "user") users.set(info.id, info.summary?.diffs ?? users.get(info.id) ?? []);
      else if (!isComplete(infos.get(info.id)) || isComplete(info)) infos.set(info.id, info);
      return isNew;
    },
    putPart: (part) => {
      if (users.has(part.messageID)) return false;
      const parts = partMap(part.messageID);
      const known = parts.get(part.id);
      if (known !== undefined && progress(part) < progress(known)) return false;
      parts.set(part.id, part);
      return true;
    },
    part: (messageId, partId) => partsOf.get(messageId)?.get(partId),
  };
};

export const isComplete = (info: AssistantInfo | undefined): boolean =>
  info?.time.completed !== undefined;

/** Whether all of a text has arrived. */
export const isClosed = (part: OpencodePart): boolean =>
  (part.type === "text" || part.type === "reasoning") && part.time?.end !== undefined;

/** How far a part is; a view with a lower number is older. */
const progress = (part: OpencodePart): number => {
  if (part.type === "tool")
    return { pending: 0, running: 1, completed: 2, error: 2 }[part.state.status];
  return isClosed(part) ? 1 : 0;
};
