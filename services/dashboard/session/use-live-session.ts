import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useReducer, useState } from "react";
import { openLiveChannel } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import type { ServerFrame } from "#contracts/live/messages";
import { type WatchState, watchSession } from "#services/client/watch-session";
import { pendingApprovalsKey, sessionInvocationsKey } from "../approvals/approval-queries.ts";
import { useApi } from "../app/api.ts";
import { sessionKey } from "./session-queries.ts";
import { initialSessionState, sessionReducer } from "./session-state.ts";

/**
 * Follows a session's live channel while `watched`, and keeps what it said. The connection is null when
 * nobody watches.
 */
export const useLiveSession = (sessionId: SessionId, watched: boolean) => {
  const api = useApi();
  const queryClient = useQueryClient();
  const [state, dispatch] = useReducer(sessionReducer, initialSessionState);
  const [connection, setConnection] = useState<WatchState | null>(null);
  /** Raised to watch again after the watching was given up. */
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    if (!watched) {
      setConnection(null);
      return undefined;
    }
    let left = false;
    const watch = watchSession({
      openSocket: async () => (await api.call(openLiveChannel, { params: { sessionId } })).url,
      onFrame: (frame) => {
        dispatch({ type: "frame_received", frame });
        for (const queryKey of outdatedBy(frame, sessionId)) {
          void queryClient.invalidateQueries({ queryKey, exact: true });
        }
      },
      onState: (next) => {
        if (!left) setConnection((before) => afterState(before, next));
      },
    });
    return () => {
      left = true;
      watch.close();
    };
  }, [api, attempt, queryClient, sessionId, watched]);

  return { state, dispatch, connection, watchAgain: () => setAttempt((before) => before + 1) };
};

/** An attempt to connect again is still a lost connection, until it succeeds. */
const afterState = (before: WatchState | null, next: WatchState): WatchState =>
  next.status === "connecting" && before?.status === "waiting" ? { ...before, retryInMs: 0 } : next;

/** The queries whose answers a frame has made old: what the channel tells only in part. */
const outdatedBy = (frame: ServerFrame, sessionId: SessionId): readonly (readonly string[])[] => {
  if (frame.type !== "live") return [];
  switch (frame.message.type) {
    case "status":
    case "prompt_finished":
      return [sessionKey(sessionId)];
    case "action_approval_request":
    case "action_updated":
      return [sessionInvocationsKey(sessionId), pendingApprovalsKey];
    default:
      return [];
  }
};
