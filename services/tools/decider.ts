/**
 * The tool calls of a session. A call id is one call: whoever repeats it gets the answer that was recorded,
 * from whichever gateway. Quotas are decided here, since only here all calls of a session meet.
 */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { ToolCallCommand } from "#contracts/tools/commands";
import type { ToolCallEvent } from "#contracts/tools/events";
import type { Decider } from "#event-store/aggregates/decider";
import type { AggregateKey } from "#event-store/aggregates/load";
import { rememberedCalls, type ToolCall, type ToolCallsState } from "./call-state.ts";

export const toolCallsDecider: Decider<ToolCallCommand, ToolCallEvent, ToolCallsState> = {
  initialState: () => ({ calls: [] }),

  decide: (command, state) => {
    switch (command.type) {
      case "ReceiveToolCall":
        return receive(command, state);
      case "CompleteToolCall": {
        const { callId, answer } = command;
        const call = callOf(state, callId);
        if (!call) throw new DomainError("not_found", "There is no such tool call.");
        // The first answer stays: it may have been read already.
        return call.answer === null
          ? [{ type: "ToolCallCompleted", data: { callId, answer } }]
          : [];
      }
      default:
        return assertNever(command);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case "ToolCallReceived": {
        const { callId, tool, fingerprint, at } = event.data;
        const call: ToolCall = { callId, tool, fingerprint, at, answer: null };
        return { calls: [...state.calls, call].slice(-rememberedCalls) };
      }
      case "ToolCallCompleted": {
        const { callId, answer } = event.data;
        return {
          calls: state.calls.map((call) => (call.callId === callId ? { ...call, answer } : call)),
        };
      }
      default:
        return assertNever(event);
    }
  },
};

/** For `execute` and `loadAggregate`; the id is the session's. */
export const toolCallsAggregate = {
  aggregate: "tool_calls",
  decider: toolCallsDecider,
  snapshotVersion: 1,
  textOwner: ({ id }: AggregateKey) => id,
} as const;

export const callOf = ({ calls }: ToolCallsState, callId: string): ToolCall | undefined =>
  calls.findLast((call) => call.callId === callId);

const receive = (
  command: Extract<ToolCallCommand, { type: "ReceiveToolCall" }>,
  state: ToolCallsState,
): readonly ToolCallEvent[] => {
  const { callId, tool, toolSchemaVersion, args, fingerprint, now } = command;
  const known = callOf(state, callId);
  if (known?.fingerprint === fingerprint) return [];
  if (known) {
    throw new DomainError(
      "idempotency_key_reused",
      "This tool_call_id was used for another tool or other arguments.",
    );
  }
  refuseBeyondQuota(command, state);
  return [
    {
      type: "ToolCallReceived",
      data: { callId, tool, toolSchemaVersion, args: { ...args }, fingerprint, at: now },
    },
  ];
};

const refuseBeyondQuota = (
  { tool, now, quota }: Extract<ToolCallCommand, { type: "ReceiveToolCall" }>,
  { calls }: ToolCallsState,
): void => {
  const from = Date.parse(now) - quota.windowMs;
  const within = calls.filter((call) => call.tool === tool && Date.parse(call.at) > from);
  const oldest = within.at(-quota.limit);
  if (within.length < quota.limit || !oldest) return;
  const retryAfterSeconds = Math.ceil((Date.parse(oldest.at) - from) / 1000);
  throw new DomainError("tool_quota_exceeded", `${tool} was called too often in this session.`, {
    fields: { tool, limit: quota.limit, windowMs: quota.windowMs, retryAfterSeconds },
  });
};
