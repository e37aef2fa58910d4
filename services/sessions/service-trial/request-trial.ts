/** Asks for a trial of a session's services, for HTTP and the live channel alike. */
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import { carryOut, type SessionCommandsDeps } from "../commands.ts";
import { requireMayChange } from "../permissions.ts";
import type { SessionRef } from "../session-log.ts";

export type TrialDeps = Pick<SessionCommandsDeps, "store" | "log">;
type Person = Parameters<typeof requireMayChange>[2];

/**
 * The owner starts the services and tells those who watch what they print.
 * @throws DomainError `forbidden`, `session_not_found`, `session_stopped`, `session_not_running`,
 * `service_not_found` without any command, `service_trial_running`
 */
export const requestServiceTrial = async (
  deps: TrialDeps,
  ref: SessionRef,
  { requestId, ...person }: Person & { readonly requestId: string },
  meta: CommandMeta,
): Promise<Position> => {
  await requireMayChange(deps.store, ref, person);
  return (await carryOut(deps, ref, meta, { type: "RequestServiceTrial", requestId })).position;
};
