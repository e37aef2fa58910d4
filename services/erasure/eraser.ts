/** Erases the text of sessions that were deleted with it. */
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { Log } from "#event-store/log";
import { startReactor } from "#event-store/workers/reactor";
import type { Worker } from "#event-store/workers/worker";
import { eraseText, type EraseTextDeps } from "./erase-text.ts";

const name = "session-eraser";

export interface EraserDeps extends Pick<EraseTextDeps, "store" | "vault"> {
  readonly log: Log;
}

/** Whoever dies at it leaves the commit unanswered, and the erasure is gone on with. */
export const startEraser = ({ store, vault, log }: EraserDeps): Promise<Worker> =>
  startReactor(store, {
    name,
    aggregates: ["session"],
    events: ["ErasureRequested"],
    log,
    react: async ({ ref, commit }) => {
      const target = {
        organization: ref.organization as OrganizationId,
        session: ref.id as SessionId,
      };
      await eraseText({ store, vault }, target, commit.meta.actor);
      log.info({ sessionId: ref.id }, "the text of a deleted session was erased");
    },
  });
