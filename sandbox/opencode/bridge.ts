/** Follows one OpenCode conversation over its event stream, across broken connections. */
import { setTimeout as delay } from "node:timers/promises";
import { DomainError, isDomainError } from "#contracts/errors";
import type { AgentEvent } from "#contracts/agent";
import type { OpencodeClient } from "./client.ts";
import { sessionOfFrame } from "./events.ts";
import { openAsks, type OpenAsks } from "./open-asks.ts";
import { reconnectPauseMs } from "./reconnect-pause.ts";
import { tick, withTicks } from "./ticks.ts";
import { turnReader, type TurnReader } from "./turn-reader.ts";

export interface WatchLimits {
  /** An open turn without any sign of life, while no tool runs or waits for leave, is aborted and failed (`agent_stuck`). */
  readonly stuckMs: number;
  /** How long OpenCode may go on asking an overloaded model (`model_overloaded`); it would for ever. */
  readonly retryMs: number;
  /** An open turn of which OpenCode knows nothing any more has failed (`agent_interrupted`). */
  readonly settleMs: number;
  /** Without any byte for this long, the connection is dead. OpenCode sends a heartbeat every 10 s. */
  readonly silenceMs: number;
  /** How long the server may be away before the watch itself fails (`agent_unreachable`). */
  readonly unreachableMs: number;
}

const defaultWatchLimits: WatchLimits = {
  stuckMs: 180_000,
  retryMs: 300_000,
  settleMs: 3_000,
  silenceMs: 35_000,
  unreachableMs: 30_000,
};

export interface WatchOptions {
  readonly client: OpencodeClient;
  readonly opencodeSessionId: string;
  /** Ends the watch without an error. */
  readonly signal: AbortSignal;
  /** Ids of the agent's messages that the caller has already and need not be told again. */
  readonly recorded?: ReadonlySet<string>;
  /** Called as soon as events arrive: a prompt that is sent from now on is seen from its beginning. */
  readonly onConnected?: () => void;
  /**
   * Asked whenever a connection has broken: whether the server's sandbox has ended, so that waiting for
   * the server would be in vain. May take its time; must not throw.
   */
  readonly isGone?: () => Promise<boolean>;
  readonly limits?: Partial<WatchLimits>;
}

/**
 * What the agent does, until the signal fires. After each connection the stored messages are read, so
 * nothing final is missed; the deltas of a gap are not sent again, their message comes as a whole.
 * @throws DomainError `agent_unreachable` after `unreachableMs` or once the sandbox is gone, `agent_reply_invalid`, `agent_failed`
 */
export async function* watchSession(options: WatchOptions): AsyncGenerator<AgentEvent> {
  const limits = { ...defaultWatchLimits, ...options.limits };
  const told = { reader: turnReader(options.recorded ?? new Set()), asks: openAsks() };
  let reachedAt = performance.now();
  let failures = 0;
  while (!options.signal.aborted) {
    try {
      for await (const events of oneConnection(options, limits, told)) {
        reachedAt = performance.now();
        failures = 0;
        yield* events;
      }
    } catch (error) {
      if (options.signal.aborted) return;
      if (!isConnectionLoss(error)) throw error;
      if (performance.now() - reachedAt > limits.unreachableMs) throw unreachable(error);
    }
    if (!options.signal.aborted && (await options.isGone?.())) throw unreachable();
    if (!(await pause(reconnectPauseMs(failures), options.signal))) return;
    failures += 1;
  }
}

/** How often a turn is looked at while nothing comes. */
const turnTickMs = 250;
/** The same between turns, when only the connection can have ended: a runner has a thousand that rest. */
const restTickMs = ({ silenceMs }: WatchLimits): number => Math.min(5_000, silenceMs / 4);

/** What is known of the conversation, whatever becomes of connections. */
interface Told {
  readonly reader: TurnReader;
  readonly asks: OpenAsks;
}

async function* oneConnection(
  options: WatchOptions,
  limits: WatchLimits,
  told: Told,
): AsyncGenerator<readonly AgentEvent[]> {
  const { client, opencodeSessionId } = options;
  const connection = new AbortController();
  const signal = AbortSignal.any([options.signal, connection.signal]);
  let heardAt = performance.now();
  const watchdog = turnWatchdog(limits, told);
  try {
    const tickMs = (): number => (told.reader.turnOpen() ? turnTickMs : restTickMs(limits));
    for await (const frame of withTicks(client.events(signal), tickMs)) {
      if (frame === tick) {
        if (performance.now() - heardAt > limits.silenceMs) return;
        yield await watchdog.check(options);
        continue;
      }
      heardAt = performance.now();
      if (frame?.type === "server.connected") {
        yield [
          ...(await readAgain(options, told.reader)),
          ...(await asksAgain(options, told.asks)),
        ];
        options.onConnected?.();
        watchdog.progress();
      } else if (frame?.type === "permission.asked" || frame?.type === "permission.replied") {
        // Whoever asks: an agent that this one has sent out holds it up all the same.
        yield told.asks.push(frame);
      } else if (frame !== null && sessionOfFrame(frame) === opencodeSessionId) {
        watchdog.progress();
        yield told.reader.push(frame);
      }
      // Heartbeats and other conversations must not keep a stuck turn alive.
      yield await watchdog.check(options);
    }
  } finally {
    connection.abort();
  }
}

const readAgain = async ({ client, opencodeSessionId }: WatchOptions, reader: TurnReader) => {
  // The status first: a turn that ends in between is then still busy, and its end comes as an event.
  const status = await client.status(opencodeSessionId);
  return reader.reconcile(await client.messages(opencodeSessionId), status);
};

const asksAgain = async ({ client }: WatchOptions, asks: OpenAsks) =>
  asks.replace(await client.permissions());

/** Ends turns that OpenCode itself would leave open. */
const turnWatchdog = (limits: WatchLimits, { reader, asks }: Told) => {
  let progressAt = performance.now();
  let retryingSince: number | null = null;
  let settled = false;

  const giveUp = async (
    { client, opencodeSessionId }: WatchOptions,
    code: string,
    message: string,
  ) => {
    // The turn is over for its owner whether or not OpenCode manages to stop.
    await client.abort(opencodeSessionId).catch(() => undefined);
    return reader.giveUp({ code, message });
  };

  return {
    progress: () => {
      progressAt = performance.now();
      settled = false;
    },
    check: async (options: WatchOptions): Promise<readonly AgentEvent[]> => {
      const now = performance.now();
      retryingSince = reader.turnOpen() && reader.retrying() ? (retryingSince ?? now) : null;
      if (!reader.turnOpen()) return [];
      if (retryingSince !== null && now - retryingSince > limits.retryMs) {
        return giveUp(options, "model_overloaded", "The model stayed overloaded for too long.");
      }
      if (!settled && now - progressAt > limits.settleMs) {
        settled = true;
        const status = await options.client.status(options.opencodeSessionId);
        if (status.type === "idle") return settle(options, reader);
      }
      if (now - progressAt <= limits.stuckMs) return [];
      const atWork = retryingSince !== null || reader.toolRunning() || asks.waiting();
      if (!atWork) {
        return giveUp(options, "agent_stuck", "The agent made no progress for too long.");
      }
      return [];
    },
  };
};

/** OpenCode is idle for longer than a turn takes to begin: what is stored now is all that will come. */
const settle = async (
  options: WatchOptions,
  reader: TurnReader,
): Promise<readonly AgentEvent[]> => {
  const events = await readAgain(options, reader);
  const message = "The agent stopped before it had finished.";
  return reader.turnOpen()
    ? [...events, ...reader.giveUp({ code: "agent_interrupted", message })]
    : events;
};

const isConnectionLoss = (error: unknown): boolean => isDomainError(error, "agent_unreachable");

const unreachable = (cause?: unknown): DomainError =>
  new DomainError("agent_unreachable", "The agent's server is gone.", { cause });

/** False if the watch ended meanwhile. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal }).catch(() => false);
