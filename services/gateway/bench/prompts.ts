/** How long a prompt takes over HTTP until it is durable, at 500 a second: `npm run bench http`. */
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Dispatcher, Pool } from "undici";
import { createSession } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import { maxOpenPrompts } from "#contracts/session/limits";
import { percentile } from "#event-store/bench/percentile";
import { startWorker, type Worker } from "#infra/bench/worker-process";
import { startEmbeddedStack } from "#infra/embedded-stack";
import { bundledProgram } from "#infra/process/bundled-program";
import { createClient } from "../../client/client.ts";
import type { GatewayCommands } from "./gateway-process.ts";

export interface PromptBench {
  /** From when it was due until it was answered; the commit was synced by then. */
  readonly promptMs: { readonly p50: number; readonly p99: number };
  /** CPU time of the gateway's process for each of them, in microseconds. */
  readonly promptCpuUs: number;
  /**
   * The same of a bare server in that process, asked at the same rate after it, which publishes one message
   * of a commit's size and answers: how far load, log and machine are what limits.
   */
  readonly floorMs: { readonly p50: number; readonly p99: number };
  readonly floorCpuUs: number;
}

const perSecond = 500;
const seconds = { warm: 2, measured: 8 };
/** Nobody answers the prompts, so each session takes as many as may wait in it. */
const sessions = Math.ceil((perSecond * (seconds.warm + seconds.measured)) / maxOpenPrompts);
const connections = 64;

export const benchPrompts = async (dataDir: string): Promise<PromptBench> => {
  const stack = await startEmbeddedStack({ dataDir, env: process.env, durability: "fsync" });
  const program = await bundledProgram(new URL("./gateway-process.ts", import.meta.url));
  const gateway = startWorker<GatewayCommands>(pathToFileURL(program));
  try {
    const { url, floorUrl, accessToken } = await gateway.call(
      "start",
      stack.natsUrl,
      stack.databaseUrl,
    );
    const client = createClient({ baseUrl: url, accessToken });
    const ids: SessionId[] = [];
    for (let index = 0; index < sessions; index += 1) {
      ids.push((await client.call(createSession, { body: { title: "Bench" } })).sessionId);
    }
    const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
    const prompts = await measure(gateway, url, (index) => ({
      path: `/v1/sessions/${ids[index % sessions]}/prompts`,
      headers,
      body: JSON.stringify({ text: `What is ${index}?` }),
    }));
    const floor = await measure(gateway, floorUrl, () => ({ path: "/", headers: {}, body: "{}" }));
    return {
      ...{ promptMs: prompts.ms, promptCpuUs: prompts.cpuUs },
      ...{ floorMs: floor.ms, floorCpuUs: floor.cpuUs },
    };
  } finally {
    await gateway.stop();
    await stack.stop();
  }
};

/** Asks at the steady rate, first to warm up; answers how long that took, and the CPU time of the process. */
const measure = async (
  gateway: Worker<GatewayCommands>,
  url: string,
  requestOf: (index: number) => Pick<Dispatcher.RequestOptions, "path" | "headers" | "body">,
): Promise<{ readonly ms: PromptBench["promptMs"]; readonly cpuUs: number }> => {
  const pool = new Pool(url, { connections });
  const ask = async (index: number): Promise<void> => {
    const { statusCode, body } = await pool.request({ method: "POST", ...requestOf(index) });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`A request was answered ${statusCode}: ${text}`);
  };
  const warm = perSecond * seconds.warm;
  await atSteadyRate(0, warm, ask);
  const before = await gateway.call("usage");
  const asked = perSecond * seconds.measured;
  const latencies = await atSteadyRate(warm, asked, ask);
  const { cpuUs } = await gateway.call("usage");
  await pool.close();
  return {
    ms: { p50: percentile(latencies, 50), p99: percentile(latencies, 99) },
    cpuUs: Math.round((cpuUs - before.cpuUs) / asked),
  };
};

/** Answers how long each took from when it was due: who falls behind may not hide it. */
const atSteadyRate = async (
  first: number,
  count: number,
  ask: (index: number) => Promise<void>,
): Promise<readonly number[]> => {
  const begun = performance.now();
  const latencies: Promise<number>[] = [];
  for (let index = 0; index < count; index += 1) {
    const due = begun + (index * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 1) await delay(early);
    latencies.push(ask(first + index).then(() => performance.now() - due));
  }
  return Promise.all(latencies);
};
