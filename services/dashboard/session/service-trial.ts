/** What the page knows of the latest trial of the session's services. Pure. */
import type { LiveMessage } from "#contracts/live/messages";
import type { Failure } from "#contracts/session/events";
import type { TriedService } from "#contracts/session/service-trial";

export interface ServiceTrial {
  readonly requestId: string;
  readonly services: readonly (TriedService & {
    /** The newest of what it has printed. */
    readonly lines: readonly string[];
    /** It has printed more. */
    readonly truncated: boolean;
  })[];
  readonly over: boolean;
  /** Why nothing could be tried; null unless so. */
  readonly failure: Failure | null;
}

type TrialMessage = Extract<
  LiveMessage,
  { readonly type: "auto_start_output" | "auto_start_finished" }
>;

const shownLines = 200;

export const foldTrial = (before: ServiceTrial | null, message: TrialMessage): ServiceTrial => {
  const { requestId } = message;
  const trial =
    before?.requestId === requestId
      ? before
      : { requestId, services: [], over: false, failure: null };
  const known = (name: string) => trial.services.find((service) => service.name === name);
  const silent = { lines: [], truncated: false };
  if (message.type === "auto_start_finished") {
    const services = message.services.map((service) => ({
      ...(known(service.name) ?? silent),
      ...service,
    }));
    return { ...trial, services, over: true, failure: message.failure };
  }
  const { service, lines, truncated } = message;
  const former = known(service.name);
  const all = [...(former?.lines ?? []), ...lines];
  const now = {
    ...service,
    lines: all.slice(-shownLines),
    truncated: truncated || all.length > shownLines || former?.truncated === true,
  };
  return {
    ...trial,
    // Whoever is told of one that was over has missed the beginning of its repetition.
    over: false,
    services: former
      ? trial.services.map((other) => (other === former ? now : other))
      : [...trial.services, now],
  };
};
