/** Trials of a session's services: one at a time, and each request once. */
import { DomainError } from "#contracts/errors";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";
import type { ExistingSession } from "../aggregate/state.ts";

type Command<T extends SessionCommand["type"]> = Extract<SessionCommand, { type: T }>;

/** @throws DomainError `service_not_found` without any command, `session_not_running`, `service_trial_running` */
export const requestServiceTrial = (
  { requestId }: Command<"RequestServiceTrial">,
  { status, deferred, serviceCommands, serviceTrial, triedServices }: ExistingSession,
): readonly SessionEvent[] => {
  if (serviceTrial?.requestId === requestId || triedServices.includes(requestId)) return [];
  if (serviceCommands.length === 0) {
    throw new DomainError(
      "service_not_found",
      "Nobody has said how this session's services start.",
    );
  }
  if (status === "paused" || status === "failed" || deferred) {
    throw new DomainError("session_not_running", "There is no sandbox to start services in.");
  }
  if (serviceTrial !== null) {
    throw new DomainError("service_trial_running", "The services are being tried already.", {
      fields: { requestId: serviceTrial.requestId },
    });
  }
  return [{ type: "ServiceTrialRequested", data: { requestId } }];
};

/** A trial that went with its sandbox needs no word any more. */
export const reportServicesTried = (
  { epoch, requestId, services, failure }: Command<"ReportServicesTried">,
  { serviceTrial }: ExistingSession,
): readonly SessionEvent[] =>
  serviceTrial?.requestId === requestId
    ? [{ type: "ServicesTried", data: { epoch, requestId, services: [...services], failure } }]
    : [];
