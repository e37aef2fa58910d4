/** Carries out the trial of services that somebody has asked for, beside whatever else the owner does. */
import { setTimeout as delay } from "node:timers/promises";
import pRetry from "p-retry";
import type { TriedService } from "#contracts/session/service-trial";
import { redact } from "#sandbox/redaction";
import type { RunningSandbox } from "#sandbox/provider/sandbox";
import type { ExistingSession, SessionState } from "../../sessions/aggregate/state.ts";
import { failureOf, isStale } from "./bring-up.ts";
import type { OwnerContext } from "../owner-context.ts";
import { sidecarServices } from "./sidecar-services.ts";
import { tryServices } from "./try-services.ts";

export interface ServiceTrials {
  /** Begins the trial that is asked for, and calls off the one that is not any more. */
  keepUp(sandbox: RunningSandbox, state: SessionState): void;
  /** Calls off what is under way: the sandbox is left. The request stays, for the next one. */
  callOff(): void;
}

/** Before a trial whose end could not be recorded is begun again. */
const pauseMs = 5_000;

/** A session runs as soon as its agent does, and the sidecar may come up after it. */
const untilSidecarAnswers = { retries: 60, minTimeout: 1_000, factor: 1 };

/** @param settled called when a trial has ended, so that the owner looks what is next */
export const createServiceTrials = (context: OwnerContext, settled: () => void): ServiceTrials => {
  let current: { readonly requestId: string; readonly off: AbortController } | null = null;

  const callOff = (): void => {
    current?.off.abort();
    current = null;
  };

  const carryOut = async (
    requestId: string,
    { sandbox, state }: { readonly sandbox: RunningSandbox; readonly state: ExistingSession },
    signal: AbortSignal,
  ): Promise<void> => {
    const { command, epoch } = context;
    let services: TriedService[] = [];
    let failure = null;
    try {
      services = await tryAll(context, { requestId, sandbox, state, signal });
    } catch (error) {
      if (signal.aborted) return;
      failure = failureOf(error);
    }
    await command({ type: "ReportServicesTried", epoch, requestId, services, failure });
    context.tell({ type: "auto_start_finished", requestId, services, failure });
  };

  return {
    keepUp: (sandbox, state) => {
      const request = state.status === "none" ? null : state.serviceTrial;
      if (current?.requestId === request?.requestId) return;
      callOff();
      if (state.status === "none" || request === null) return;
      const off = new AbortController();
      const trial = { requestId: request.requestId, off };
      current = trial;
      void carryOut(request.requestId, { sandbox, state }, off.signal)
        .catch(async (error: unknown) => {
          const { deps, session: sessionId } = context;
          if (isStale(error)) return;
          deps.log.warn({ err: error, sessionId }, "a trial of services could not be recorded");
          // Called off meanwhile: then there is nothing to wait for.
          await delay(pauseMs, undefined, { signal: off.signal }).catch(() => undefined);
        })
        .finally(() => {
          if (current === trial) current = null;
          settled();
        });
    },
    callOff,
  };
};

const tryAll = async (
  { deps, organization, session, limits, tell }: OwnerContext,
  trial: {
    readonly requestId: string;
    readonly sandbox: RunningSandbox;
    readonly state: ExistingSession;
    readonly signal: AbortSignal;
  },
): Promise<TriedService[]> => {
  const { requestId, sandbox, state, signal } = trial;
  const { token } = deps.specOf({ organization, session }, state).gateway;
  const secrets = Object.values(
    await deps.values.read({ organization, session }, state.environment.names),
  );
  const sidecar = sidecarServices({ url: sandbox.tunnels.sidecar, token });
  await pRetry(() => sidecar.list(signal), { ...untilSidecarAnswers, signal });
  return tryServices(sidecar, {
    commands: state.serviceCommands,
    trialMs: limits.tryServicesMs,
    tell: ({ lines, ...told }) =>
      tell({
        type: "auto_start_output",
        requestId,
        ...told,
        lines: lines.map((line) => redact(line, secrets)),
      }),
    signal,
  });
};
