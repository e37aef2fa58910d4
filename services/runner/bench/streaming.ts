/** Whether a runner keeps up with many agents that speak at once, beside a bare reader of the same streams. */
import { performance } from "node:perf_hooks";
import { percentile } from "#event-store/bench/percentile";
import { startWorker } from "#infra/bench/worker-process";
import { readTranscript } from "../agent/memory.ts";
import type { BareReaderCommands } from "./bare-reader-process.ts";
import { type BenchServers, type BenchSessions, withBenchSessions } from "./bench-sessions.ts";
import type { LiveAnswer } from "./live-watch.ts";
import { tokensPerSecond } from "./replay.ts";

interface Lag {
  readonly p50: number;
  readonly p99: number;
  /** Of the last token of each session's answer: somebody who falls behind is late by then. */
  readonly lastToken: number;
}

export interface StreamingFigures {
  /** How many sessions streamed at once with every token told, each transcript whole, and none late. */
  readonly streamingSessions: number;
  readonly streamingDetails: {
    readonly tokensPerSecond: number;
    /** From when the agent was to say a token until it was told live, in milliseconds. */
    readonly lagMs: Lag;
    /** CPU time of the runner for a second, as a share of a core, and for a token. */
    readonly cpuShare: number;
    readonly cpuUsPerToken: number;
    /** The same of a process that reads the same answers off the sandboxes' servers and keeps nothing. */
    readonly bareLagMs: Lag;
    readonly bareCpuUsPerToken: number;
    readonly cpuRatioToBare: number;
  };
}

const seconds = 20;
const tokens = seconds * tokensPerSecond;
/** Later than this at the end of an answer is behind: people see a token a second after it was said. */
const lateMs = 1_000;

export const measureStreaming = (servers: BenchServers, count: number): Promise<StreamingFigures> =>
  withBenchSessions(servers, async (bench) => {
    const { runner, live } = bench;
    await bench.open(count);
    await bench.askEach(count, tokens / 4); // Warms up.
    const before = await runner.call("cpuUs");
    const begun = performance.now();
    await bench.askEach(count, tokens);
    const tookMs = performance.now() - begun;
    const cpuUs = (await runner.call("cpuUs")) - before;
    await expectKept(servers, bench);
    const answers = [...live.answers.values()];
    const lagMs = lagOf(answers.map(({ lags }) => lags));
    // The same sandboxes' process, and nobody else at work.
    await runner.stop();
    const bare = await readBarely(bench.hostUrl, count);
    const cpuUsPerToken = cpuUs / (count * tokens);
    const bareCpuUsPerToken = bare.cpuUs / (count * tokens);
    return {
      streamingSessions: answers.filter(keptUp).length,
      streamingDetails: {
        tokensPerSecond: count * tokensPerSecond,
        lagMs,
        cpuShare: Number((cpuUs / 1_000 / tookMs).toFixed(2)),
        cpuUsPerToken: Math.round(cpuUsPerToken),
        bareLagMs: lagOf(bare.lags),
        bareCpuUsPerToken: Math.round(bareCpuUsPerToken),
        cpuRatioToBare: Number((cpuUsPerToken / bareCpuUsPerToken).toFixed(2)),
      },
    };
  });

/** Whether every token was told, and the last one not late. */
const keptUp = ({ streamed, whole, lags }: LiveAnswer): boolean =>
  streamed === whole && (lags.at(-1) ?? Infinity) <= lateMs;

/** @throws Error unless each answer is in its transcript, with every token */
const expectKept = async (
  { platform: { store } }: BenchServers,
  { live: { answers }, organization, sessions }: BenchSessions,
): Promise<void> => {
  for (const session of sessions) {
    const whole = answers.get(session)?.whole;
    const [last] = (await readTranscript(store, { organization, session })).slice(-1);
    const kept = last?.parts.findLast((part) => part.kind === "text")?.text;
    if (kept !== whole || kept?.split(" ").length !== tokens + 1) {
      throw new Error(`The answer of the session ${session} is not whole.`);
    }
  }
};

const readBarely = async (hostUrl: string, count: number) => {
  const reader = startWorker<BareReaderCommands>(
    new URL("./bare-reader-process.ts", import.meta.url),
  );
  try {
    await reader.call("connect", hostUrl, count);
    await reader.call("read", tokens / 4);
    return await reader.call("read", tokens);
  } finally {
    await reader.stop();
  }
};

const lagOf = (sessions: readonly (readonly number[])[]): Lag => {
  const all = sessions.flat();
  const last = sessions.map((lags) => lags.at(-1) ?? Infinity);
  return {
    p50: percentile(all, 50),
    p99: percentile(all, 99),
    lastToken: Number(Math.max(...last).toFixed(3)),
  };
};
