/**
 * Turns OpenCode's events into the control plane's: pure, one per conversation.
 *
 * A turn begins with a prompt and ends when OpenCode is idle and every message of it is complete. Being idle
 * alone says nothing: OpenCode reports it before the last updates of a turn that failed or was aborted, and
 * again after them, when the next prompt may already be there.
 */
import type { AgentEvent } from "#contracts/agent";
import type { Failure } from "#contracts/session/events";
import type { Message } from "#contracts/transcript/message";
import {
  conversationState,
  isClosed,
  isComplete,
  partsInOrder,
  type KnownMessage,
} from "./conversation-state.ts";
import type { OpencodeFrame } from "./events.ts";
import { filesChangedOf } from "./files-changed.ts";
import { droppedParts, failureOf, isAbort, messageOf } from "./message.ts";
import type { OpencodeError, OpencodePart, SessionStatus, StoredMessage } from "./schemas.ts";
import { toolPartOf } from "./tool-part.ts";

export interface TurnReader {
  readonly push: (frame: OpencodeFrame) => readonly AgentEvent[];
  /** Catches up with what OpenCode has stored, after a connection. */
  readonly reconcile: (
    messages: readonly StoredMessage[],
    status: SessionStatus,
  ) => readonly AgentEvent[];
  /** Ends a turn that OpenCode will not end: what is open in it is closed as it is. */
  readonly giveUp: (failure: Failure) => readonly AgentEvent[];
  readonly turnOpen: () => boolean;
  readonly toolRunning: () => boolean;
  /** OpenCode waits before it asks an overloaded model again. */
  readonly retrying: () => boolean;
}

/** @param recorded ids of the agent's messages that need not be told again */
export const turnReader = (recorded: ReadonlySet<string>): TurnReader => {
  const state = conversationState();
  const delivered = new Map<string, string>();
  const streamed = new Map<string, string>();
  const toldTools = new Map<string, string>();
  const dropped = new Set<string>();
  const abandoned = new Set<string>();
  let open = false;
  let idle = true;
  let retrying = false;
  let error: OpencodeError | null = null;

  const ours = (): readonly KnownMessage[] =>
    state.assistants().filter(({ info }) => !recorded.has(info.id) && !abandoned.has(info.id));

  const begin = (): AgentEvent[] => {
    if (open) return [];
    open = true;
    retrying = false;
    error = null;
    return [{ type: "turn_started" }];
  };

  const deliver = (known: KnownMessage, failure: Failure | null = null): AgentEvent[] => {
    const message = {
      ...messageOf(known.info, partsInOrder(known)),
      filesChanged: filesChangedBy(known.info),
    };
    const event: AgentEvent = {
      type: "message_completed",
      message: failure ? interrupted(message, failure) : message,
      parentId: known.info.parentID,
    };
    const text = JSON.stringify(event);
    if (delivered.get(message.id) === text) return [];
    delivered.set(message.id, text);
    return [event];
  };

  /** It stands on a turn's last message, and one that calls tools is none as long as the turn goes on. */
  const filesChangedBy = ({ id, parentID, finish }: KnownMessage["info"]) =>
    state.lastAnswerTo(parentID)?.info.id === id && !(open && finish === "tool-calls")
      ? filesChangedOf(state.changedFor(parentID))
      : null;

  const end = (): AgentEvent[] => {
    if (!open || !idle || ours().some(({ info }) => !isComplete(info))) return [];
    if (!state.answerBegun() && error === null) return [];
    const last = state.answerBegun() ? ours().at(-1) : undefined;
    const failure = last ? (last.info.error ?? null) : error;
    open = false;
    retrying = false;
    const events = last ? deliver(last) : [];
    if (failure !== null)
      return [
        ...events,
        { type: "turn_failed", failure: failureOf(failure), aborted: isAbort(failure) },
      ];
    // An abort while OpenCode waits for an overloaded model leaves a message without end and without error.
    if (last !== undefined && last.info.finish === undefined)
      return [...events, { type: "turn_failed", ...abortedInRetry }];
    return [...events, { type: "turn_idle" }];
  };

  const spoken = (
    part: Extract<OpencodePart, { type: "text" | "reasoning" }>,
    delta: string,
  ): AgentEvent[] => {
    if (delta === "" || dropped.has(part.id)) return [];
    streamed.set(part.id, (streamed.get(part.id) ?? "") + delta);
    const type = part.type === "text" ? "text_delta" : "reasoning_delta";
    return [{ type, messageId: part.messageID, partId: part.id, delta }];
  };

  const tell = (part: OpencodePart): AgentEvent[] => {
    switch (part.type) {
      case "text":
      case "reasoning": {
        const before = streamed.get(part.id) ?? "";
        return part.text.startsWith(before) ? spoken(part, part.text.slice(before.length)) : [];
      }
      case "tool": {
        const toolPart = toolPartOf(part);
        const text = JSON.stringify(toolPart);
        if (toldTools.get(part.id) === text) return [];
        toldTools.set(part.id, text);
        return [{ type: "tool_updated", messageId: part.messageID, part: toolPart }];
      }
      case "step-start":
        return drop(part.messageID);
      case "other":
        return [];
    }
  };

  const drop = (messageId: string): AgentEvent[] => {
    const message = state.message(messageId);
    if (message === undefined) return [];
    const partIds = [...droppedParts(partsInOrder(message))].filter((id) => !dropped.has(id));
    for (const id of partIds) dropped.add(id);
    return partIds.length === 0 ? [] : [{ type: "parts_dropped", messageId, partIds }];
  };

  const putPart = (part: OpencodePart): AgentEvent[] => {
    if (recorded.has(part.messageID) || !state.putPart(part)) return [];
    retrying = false;
    const message = state.message(part.messageID);
    // Whose part it is comes first. A prompt's own text is not told.
    if (message === undefined) return [];
    // A message that was complete is told again as a whole if something in it has changed.
    return isComplete(message.info) ? deliver(message) : tell(part);
  };

  const putInfo = (info: StoredMessage["info"]): AgentEvent[] => {
    const isNew = state.putInfo(info);
    if (recorded.has(info.id)) return [];
    const events = isNew ? begin() : [];
    if (info.role === "user") return [...events, ...changed(info.id)];
    const message = state.message(info.id);
    if (message !== undefined && isComplete(message.info))
      events.push(...deliver(message), ...end());
    return events;
  };

  /** OpenCode tells the last changes of a turn when the turn has ended: its last message is told again. */
  const changed = (userMessageId: string): AgentEvent[] => {
    const lastId = state.lastAnswerTo(userMessageId)?.info.id;
    const message = ours().find(({ info }) => info.id === lastId);
    return message !== undefined && isComplete(message.info) ? deliver(message) : [];
  };

  const putStatus = (status: SessionStatus): AgentEvent[] => {
    idle = status.type === "idle";
    // It is busy between two attempts too; only what the model says ends the retrying.
    if (status.type === "retry") retrying = true;
    if (status.type === "idle") return end();
    // Being busy begins no turn, a message does: the connection may bring this late.
    if (status.type === "busy" || !open) return [];
    const nextAt = new Date(status.next).toISOString();
    return [{ type: "retrying", attempt: status.attempt, message: status.message, nextAt }];
  };

  const push = (frame: OpencodeFrame): readonly AgentEvent[] => {
    switch (frame.type) {
      case "server.connected":
      // What waits for leave is no part of a turn's text: `open-asks.ts` keeps it.
      case "permission.asked":
      case "permission.replied":
        return [];
      case "message.updated":
        return putInfo(frame.properties.info);
      case "message.part.updated":
        return putPart(frame.properties.part);
      case "message.part.delta": {
        const { messageID, partID, field, delta } = frame.properties;
        const part = state.part(messageID, partID);
        // Without the part's beginning nobody knows what it is; its end brings the whole text.
        if (field !== "text" || part === undefined || isClosed(part)) return [];
        retrying = false;
        return part.type === "text" || part.type === "reasoning" ? spoken(part, delta) : [];
      }
      case "session.status":
        return putStatus(frame.properties.status);
      case "session.idle":
        return putStatus({ type: "idle" });
      case "session.error":
        error = frame.properties.error ?? error;
        return [];
    }
  };

  const reconcile = (
    messages: readonly StoredMessage[],
    status: SessionStatus,
  ): readonly AgentEvent[] => {
    const events: AgentEvent[] = [];
    for (const { info, parts } of messages) {
      if (info.role === "user") {
        state.putInfo(info);
        continue;
      }
      if (recorded.has(info.id)) {
        state.putInfo(info);
        continue;
      }
      if (!delivered.has(info.id)) events.push(...begin());
      state.putInfo(info);
      for (const part of parts)
        if (state.putPart(part) && !isComplete(info)) events.push(...tell(part));
      const message = state.message(info.id);
      if (message !== undefined && isComplete(message.info)) events.push(...deliver(message));
    }
    if (!state.answerBegun() || status.type !== "idle") events.push(...begin());
    return [...events, ...putStatus(status)];
  };

  const giveUp = (failure: Failure): readonly AgentEvent[] => {
    if (!open) return [];
    open = false;
    retrying = false;
    const events = ours()
      .filter(({ info }) => !isComplete(info))
      .flatMap((message) => {
        abandoned.add(message.info.id);
        return deliver(message, failure);
      });
    return [...events, { type: "turn_failed", failure, aborted: false }];
  };

  return {
    push,
    reconcile,
    giveUp,
    turnOpen: () => open,
    toolRunning: () =>
      ours().some(
        ({ info, parts }) =>
          !isComplete(info) &&
          [...parts.values()].some(
            (part) => part.type === "tool" && part.state.status === "running",
          ),
      ),
    retrying: () => retrying,
  };
};

const abortedInRetry = {
  failure: { code: "agent_aborted", message: "The turn was aborted." },
  aborted: true,
} as const;

/** OpenCode leaves the tools of a turn that was cut off "running" for ever. */
const interrupted = (message: Message, failure: Failure): Message => ({
  ...message,
  failure,
  parts: message.parts.map((part) =>
    part.kind === "tool" && (part.status === "pending" || part.status === "running")
      ? { ...part, status: "error", error: failure.message }
      : part,
  ),
});
