/** Starts the services of a session afresh, and looks for a while how they do. What runs then runs on. */
import { setTimeout as delay } from "node:timers/promises";
import { isDomainError } from "#contracts/errors";
import type { ServiceCommand } from "#contracts/session/service-command";
import type { TriedService } from "#contracts/session/service-trial";
import type { ServiceView } from "#sandbox/agent/services/service";
import type { LogPlace, SidecarServices } from "./sidecar-services.ts";

export interface Trial {
  readonly commands: readonly ServiceCommand[];
  /** How long a service that runs is looked at. */
  readonly trialMs: number;
  /** Told what is new of a service; `truncated` with the last lines that are told of it. */
  readonly tell: (told: {
    readonly service: TriedService;
    readonly lines: string[];
    readonly truncated: boolean;
  }) => void;
  /** Called off: what was started runs on. */
  readonly signal: AbortSignal;
}

interface Tried {
  service: TriedService;
  place: LogPlace;
  linesLeft: number;
  /** Nothing more will become of it. */
  settled: boolean;
}

const lookEveryMs = 500;
/** Of one service; whoever wants to read more opens a terminal. */
const maxLines = 500;
const maxLineLength = 2_000;
const maxLinesAtOnce = 100;

/** @throws DomainError `sandbox_unavailable`; the signal's reason */
export const tryServices = async (
  sidecar: SidecarServices,
  { commands, trialMs, tell, signal }: Trial,
): Promise<TriedService[]> => {
  const all: Tried[] = [];
  for (const command of commands) {
    const tried = await start(sidecar, command, signal);
    all.push(tried);
    tell({ service: tried.service, lines: [], truncated: false });
  }

  const look = async (): Promise<void> => {
    const views = new Map((await sidecar.list(signal)).map((view) => [view.name, view]));
    for (const tried of all) {
      const view = views.get(tried.service.name);
      if (view === undefined || tried.settled) continue;
      const before = tried.service;
      tried.service = serviceOf(view);
      tried.settled = view.status === "stopped" || view.status === "error";
      const told = await tellOutput(sidecar, tried, { tell, signal });
      const isNews = before.status !== tried.service.status;
      if (isNews && !told) tell({ service: tried.service, lines: [], truncated: false });
    }
  };

  for (const endsAt = performance.now() + trialMs; performance.now() < endsAt;) {
    await delay(lookEveryMs, undefined, { signal });
    await look();
    if (all.every(({ settled }) => settled)) break;
  }
  return all.map(({ service }) => service);
};

/** What the sidecar will not start has failed; one that does not answer is no word about the service. */
const start = async (
  sidecar: SidecarServices,
  command: ServiceCommand,
  signal: AbortSignal,
): Promise<Tried> => {
  const { name } = command;
  const fresh = { linesLeft: maxLines, place: null };
  try {
    const place = await sidecar.start(command, signal);
    const service = { name, status: "running", exitCode: null, detail: null } as const;
    return { ...fresh, service, place, settled: false };
  } catch (error) {
    if (!isDomainError(error) || error.status >= 500) throw error;
    const detail = error.message.slice(0, 500);
    const service = { name, status: "failed", exitCode: null, detail } as const;
    return { ...fresh, service, settled: true };
  }
};

/** @returns whether there was any */
const tellOutput = async (
  sidecar: SidecarServices,
  tried: Tried,
  { tell, signal }: Pick<Trial, "tell" | "signal">,
): Promise<boolean> => {
  let told = false;
  for (let more = true; more && tried.linesLeft > 0;) {
    const most = Math.min(tried.linesLeft, maxLinesAtOnce);
    const { name } = tried.service;
    const printed = await sidecar.read({ name, place: tried.place, most }, signal);
    if (printed.lines.length === 0) break;
    const lines = printed.lines.map((line) => line.slice(0, maxLineLength));
    tried.place = printed.next;
    tried.linesLeft -= lines.length;
    tell({ service: tried.service, lines, truncated: tried.linesLeft === 0 });
    told = true;
    more = printed.more;
  }
  return told;
};

const serviceOf = ({ name, status, exitCode, failures }: ServiceView): TriedService => {
  const well = failures === 0 && (status === "running" || status === "stopped");
  return {
    name,
    status: well ? (status === "running" ? "running" : "ended") : "failed",
    exitCode,
    detail: null,
  };
};
