/**
 * `npm run bench actions`: how long an agent waits for an action that its policy allows and that takes no
 * time of its own, over HTTP, through gateway, log and executor, with every read model projected beside it.
 */
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { invokeAction } from "#contracts/http/actions";
import { percentile } from "#event-store/bench/percentile";
import { startWorker, type Worker } from "#infra/bench/worker-process";
import { startEmbeddedStack } from "#infra/embedded-stack";
import { bundledProgram } from "#infra/process/bundled-program";
import { createClient } from "../../client/client.ts";
import { runningStack } from "../../running.ts";
import { maxInvocationsPerMinute } from "../requests/session-limits.ts";
import { benchPolicy, type PolicyMicros } from "./policy.ts";
import type { ProgramCommands } from "./program-process.ts";

export interface ActionsBench {
  readonly allowMs: { readonly p50: number; readonly p99: number };
  /** A request and three publishes in turn with it. */
  readonly floorMs: { readonly p50: number; readonly p99: number };
  /** CPU time of the program (gateway, worker and projector) for each call. */
  readonly allowCpuMs: number;
  readonly policyMicros: PolicyMicros;
}

/** The program takes some hundred calls until it runs as it will for days. */
const sessions = { warm: 10, measured: 12 };
const callsPerSession = maxInvocationsPerMinute - 10;

export const benchActions = async (dataDir: string): Promise<ActionsBench> => {
  const policyMicros = benchPolicy();
  const started = runningStack();
  try {
    const servers = await startEmbeddedStack({ dataDir, env: process.env, durability: "relaxed" });
    started.add(servers);
    const source = new URL("./program-process.ts", import.meta.url);
    const program = startWorker<ProgramCommands>(pathToFileURL(await bundledProgram(source)));
    started.add(program);
    const { natsUrl, databaseUrl } = servers;
    const urls = await program.call("start", { natsUrl, databaseUrl, dataDir });
    return { ...(await timeCalls(program, urls)), policyMicros };
  } finally {
    await started.stop();
  }
};

const timeCalls = async (
  program: Worker<ProgramCommands>,
  { url, floorUrl }: { readonly url: string; readonly floorUrl: string },
): Promise<Omit<ActionsBench, "policyMicros">> => {
  const allowed: number[] = [];
  const floors: number[] = [];
  let cpuUs = 0;
  // By turns, so that both see the same machine.
  for (let session = 0; session < sessions.warm + sessions.measured; session += 1) {
    const call = await caller(program, url);
    const before = await program.call("cpuUs");
    const calls = await timed(call);
    const after = await program.call("cpuUs");
    const floor = await timed(() => post(floorUrl));
    if (session < sessions.warm) continue;
    allowed.push(...calls);
    floors.push(...floor);
    cpuUs += after - before;
  }
  const figures = (all: readonly number[]) => ({
    p50: percentile(all, 50),
    p99: percentile(all, 99),
  });
  return {
    allowMs: figures(allowed),
    floorMs: figures(floors),
    allowCpuMs: Number((cpuUs / 1_000 / allowed.length).toFixed(2)),
  };
};

/** Invokes the action as the agent of a session of its own. */
const caller = async (
  program: Worker<ProgramCommands>,
  url: string,
): Promise<() => Promise<unknown>> => {
  const { sessionId, accessToken } = await program.call("openSession");
  const client = createClient({ baseUrl: url, accessToken });
  return async () => {
    const { status } = await client.request(invokeAction, {
      params: { sessionId },
      body: { integration: "local", action: "send", params: { channel: "#team-a" } },
    });
    if (status !== 200) throw new Error(`The action was answered with ${status}.`);
  };
};

const post = async (url: string): Promise<void> => {
  const response = await fetch(url, { method: "POST", body: "{}" });
  await response.text();
  if (!response.ok) throw new Error(`The floor was answered with ${response.status}.`);
};

/** How long each of a session's calls takes, one after the other, in milliseconds. */
const timed = async (work: () => Promise<unknown>): Promise<readonly number[]> => {
  const all: number[] = [];
  for (let count = 0; count < callsPerSession; count += 1) {
    const startedAt = performance.now();
    await work();
    all.push(performance.now() - startedAt);
  }
  return all;
};
