/** How long a prompt takes over HTTP until it is durable, at 500 a second: `npm run bench http`. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
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
   * The same of a bare server in that process, asked at the same rate in turns with it, which publishes one
   * message of a commit's size and answers: how far load, log and machine are what limits.
   */
  readonly floorMs: { readonly p50: number; readonly p99: number };
  readonly floorCpuUs: number;
  /**
   * The same as `promptMs` with all files in memory, where syncing takes no time: what a disk that stalls
   * has no part in. Null on a system without a file system in memory.
   */
  readonly promptInMemoryMs: { readonly p50: number; readonly p99: number } | null;
}

const perSecond = 500;
const seconds = { warm: 4, measured: 8 };
/** Nobody answers the prompts, so each session takes as many as may wait in it. */
const sessions = Math.ceil((perSecond * (seconds.warm + seconds.measured)) / maxOpenPrompts);
const connections = 64;

export const benchPrompts = async (dataDir: string): Promise<PromptBench> => {
  const [onDisk, inMemory] = [await measure(dataDir), await inMemoryFolder(measure)];
  return {
    ...{ promptMs: onDisk.prompts.ms, promptCpuUs: onDisk.prompts.cpuUs },
    ...{ floorMs: onDisk.floor.ms, floorCpuUs: onDisk.floor.cpuUs },
    promptInMemoryMs: inMemory && inMemory.prompts.ms,
  };
};

/** Linux has a file system in memory here. */
const sharedMemory = "/dev/shm";

const inMemoryFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T | null> => {
  if (!existsSync(sharedMemory)) return null;
  const folder = await mkdtemp(join(sharedMemory, "proliferate-bench-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const measure = async (
  dataDir: string,
): Promise<{ readonly prompts: Figures; readonly floor: Figures }> => {
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
    const prompts = measured(gateway, url, (index) => ({
      path: `/v1/sessions/${ids[index % sessions]}/prompts`,
      headers,
      body: JSON.stringify({ text: `What is ${index}?` }),
    }));
    const floor = measured(gateway, floorUrl, () => ({ path: "/", headers: {}, body: "{}" }));
    // A disk that has to sync stalls at times: both see as much of that.
    for (let second = 0; second < seconds.warm + seconds.measured; second += 1) {
      await prompts.ask(perSecond, { counts: second >= seconds.warm });
      await floor.ask(perSecond, { counts: second >= seconds.warm });
    }
    return { prompts: await prompts.end(), floor: await floor.end() };
  } finally {
    await gateway.stop();
    await stack.stop();
  }
};

interface Figures {
  readonly ms: PromptBench["promptMs"];
  readonly cpuUs: number;
}

/** One kind of request, asked at the steady rate whenever it is its turn. */
const measured = (
  gateway: Worker<GatewayCommands>,
  url: string,
  requestOf: (index: number) => Pick<Dispatcher.RequestOptions, "path" | "headers" | "body">,
): {
  ask(count: number, options: { readonly counts: boolean }): Promise<void>;
  end(): Promise<Figures>;
} => {
  const pool = new Pool(url, { connections });
  const one = async (index: number): Promise<void> => {
    const { statusCode, body } = await pool.request({ method: "POST", ...requestOf(index) });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`A request was answered ${statusCode}: ${text}`);
  };
  const latencies: number[] = [];
  let asked = 0;
  let cpuUs = 0;
  return {
    ask: async (count, { counts }) => {
      const before = await gateway.call("cpuUs");
      const taken = await atSteadyRate(asked, count, one);
      const after = await gateway.call("cpuUs");
      asked += count;
      if (!counts) return;
      latencies.push(...taken);
      cpuUs += after - before;
    },
    end: async () => {
      await pool.close();
      return {
        ms: { p50: percentile(latencies, 50), p99: percentile(latencies, 99) },
        cpuUs: Math.round(cpuUs / latencies.length),
      };
    },
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
