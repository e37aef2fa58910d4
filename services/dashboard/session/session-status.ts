/** What a session's status means for the page. */
import type { SessionStatus } from "#contracts/session/view";
import type { Tone } from "../ui/badge.tsx";

interface StatusShown {
  readonly label: string;
  readonly tone: Tone;
  /** Something is under way that will change the status by itself. */
  readonly moving: boolean;
}

export const statusShown: Readonly<Record<SessionStatus, StatusShown>> = {
  pending: { label: "Waiting to start", tone: "neutral", moving: true },
  starting: { label: "Starting", tone: "active", moving: true },
  running: { label: "Running", tone: "success", moving: false },
  migrating: { label: "Moving", tone: "active", moving: true },
  paused: { label: "Paused", tone: "neutral", moving: false },
  stopped: { label: "Stopped", tone: "neutral", moving: false },
  failed: { label: "Failed", tone: "danger", moving: false },
};

/**
 * The status to show, from the read model and from the live channel (null while it is not connected).
 * The channel is quicker, but nobody speaks there for a session that was stopped.
 */
export const currentStatus = (read: SessionStatus, live: SessionStatus | null): SessionStatus =>
  read === "stopped" ? "stopped" : (live ?? read);

/**
 * Whether to open the live channel. It brings a paused session back, and looking at a page must not
 * do that: what a paused session said is in the read model.
 */
export const isWatchable = (read: SessionStatus): boolean =>
  read !== "paused" && read !== "stopped";

export const isBooting = (status: SessionStatus): boolean => statusShown[status].moving;
