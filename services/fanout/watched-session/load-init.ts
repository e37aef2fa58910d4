import { setTimeout as delay } from "node:timers/promises";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { ServerFrame } from "#contracts/live/messages";
import type { Position } from "#contracts/position";
import type { SessionStatus } from "#contracts/session/view";
import type { MessageView } from "#contracts/transcript/view";
import type { WatchKey } from "./live-feed.ts";
import { mergeTranscript } from "./merge-transcript.ts";
import type { LiveSnapshot, WatchedSession } from "./watched-session.ts";

/**
 * Reads the session's past from the read models.
 *
 * @param recorded what they are waited for to have, for a moment; null for as they are
 */
export type LoadTranscript = (
  organizationId: OrganizationId,
  sessionId: SessionId,
  recorded: Position | null,
) => Promise<readonly MessageView[]>;

/** Reads the session's status from the read models; null if there is no such session. */
export type LoadStatus = (
  organizationId: OrganizationId,
  sessionId: SessionId,
) => Promise<SessionStatus | null>;

export interface PastOfSession {
  readonly loadTranscript: LoadTranscript;
  readonly loadStatus: LoadStatus;
}

/** A session's first frame, and the state of the live channel that it was made from. */
export interface Init {
  readonly snapshot: LiveSnapshot;
  readonly frame: Extract<ServerFrame, { type: "init" }>;
}

const attempts = 4;
const pauseMs = 100;

/**
 * Everything so far, as one frame; null if there is no such session. The live channel's state is
 * taken first and the past is read after it: what happens in between has a higher sequence number
 * and follows live. The read models may be a moment behind the session's creation, or behind a status
 * that was already sent, so an absent or differing one is read again a few times; if it goes on
 * differing, nobody sent it live (a paused session is reopened without its owner), and the read model
 * is right.
 */
export const loadInit = async (
  session: WatchedSession,
  { organizationId, sessionId }: WatchKey,
  past: PastOfSession,
): Promise<Init | null> => {
  let awaited: Position | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const snapshot = session.snapshot();
    // Read models that do not come so far are waited for once, not at each attempt.
    const recorded = snapshot.recorded === awaited ? null : snapshot.recorded;
    awaited = snapshot.recorded;
    const [transcript, status] = await Promise.all([
      past.loadTranscript(organizationId, sessionId, recorded),
      past.loadStatus(organizationId, sessionId),
    ]);
    if (status === null) {
      // Whoever watches has a ticket of the log's; the read model may not have come so far.
      if (attempt === attempts) return null;
    } else if (snapshot.status === null || snapshot.status === status || attempt === attempts) {
      const { seq, streaming, messages: sent } = snapshot;
      const messages = mergeTranscript(transcript, sent, new Date().toISOString());
      const frame = { type: "init" as const, seq, messages, streaming: [...streaming], status };
      return { snapshot, frame };
    }
    await delay(pauseMs);
  }
};
