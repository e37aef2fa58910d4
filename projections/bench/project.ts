/** How fast the read models follow the log: `npm run bench project`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import { connectToNats } from "#event-store/connection";
import { openEventStore } from "#event-store/event-store";
import { formatPosition, parsePosition } from "#event-store/position";
import type { Log } from "#event-store/log";
import { startEmbeddedStack } from "#infra/embedded-stack";
import { openDatabase } from "../database.ts";
import { readModels } from "../read-models.ts";
import { prepareReadModels } from "../runtime/prepare.ts";
import { startProjector } from "../runtime/projector.ts";
import { openLogWriter, type LogWriter } from "../testing/log-writer.ts";
import { openProgress } from "../wait-for-position.ts";
import { insertFloorMs } from "./insert-floor.ts";
import { sessionCommits } from "./transcripts.ts";

export interface ProjectBench {
  /** From an empty checkpoint, into all read models, one event to a commit. */
  readonly eventsPerSecond: number;
  /** The same rows inserted by Postgres alone take this share of the time. */
  readonly ratioToInsert: number;
  /** From the call of append to the answer of `waitForPosition`, at a moderate rate. */
  readonly visibleMs: { readonly p50: number; readonly p99: number };
}

export interface ProjectBenchOptions {
  /** Where a `nats-server` is looked for. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly events?: number;
  /** How many appends are timed until they can be read, and how many are begun per second. */
  readonly visible?: { readonly appends: number; readonly perSecond: number };
}

const writers = 64;
const turnsPerSession = 25;

const failures: Log = {
  info: () => undefined,
  warn: (fields, message) => process.stderr.write(`${message}: ${JSON.stringify(fields)}\n`),
  error: (fields, message) => process.stderr.write(`${message}: ${JSON.stringify(fields)}\n`),
};

/** Runs on its own embedded NATS and Postgres in a temporary folder, and removes them. */
export const benchProject = async ({
  env = process.env,
  events = 60_000,
  visible = { appends: 2_000, perSecond: 400 },
}: ProjectBenchOptions = {}): Promise<ProjectBench> => {
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-bench-"));
  const stack = await startEmbeddedStack({ dataDir, env, durability: "relaxed" });
  const connection = await connectToNats({ url: stack.natsUrl, name: "bench" });
  const sql = openDatabase({ url: stack.databaseUrl });
  const copy = openDatabase({ url: stack.databaseUrl, schema: "floor", maxConnections: 1 });
  try {
    const store = await openEventStore({ connection, durability: "relaxed" });
    const writer = openLogWriter(store);
    const written = await fillLog(writer, events);

    await prepareReadModels(sql, readModels);
    await using progress = await openProgress(sql);
    const started = performance.now();
    await using _projector = await startProjector({
      store,
      openSql: () => openDatabase({ url: stack.databaseUrl, maxConnections: 1 }),
      projections: readModels,
      log: failures,
    });
    await until(progress.waitForPosition, formatPosition(0, written));
    const projectedMs = performance.now() - started;

    await copy`create schema floor`;
    await prepareReadModels(copy, readModels);
    const floorMs = await insertFloorMs(sql, { copy, batch: 500 });

    const visibleMs = await measureVisible(writer, progress.waitForPosition, visible);
    return {
      eventsPerSecond: Math.round((written / projectedMs) * 1_000),
      ratioToInsert: Number((floorMs / projectedMs).toFixed(3)),
      visibleMs,
    };
  } finally {
    await copy.end({ timeout: 5 });
    await sql.end({ timeout: 5 });
    await connection.close();
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};

type Wait = (position: Position, options: { timeoutMs: number }) => Promise<Position>;

/** Waits for as long as it takes, though not for ever. */
const until = async (wait: Wait, position: Position): Promise<void> => {
  const stands = await wait(position, { timeoutMs: 300_000 });
  if (parsePosition(stands).sequence < parsePosition(position).sequence)
    throw new Error(`The projector has only come to ${stands}.`);
};

/** Appends whole sessions from many writers at once, until there are enough events. Answers their number. */
const fillLog = async (writer: LogWriter, events: number): Promise<number> => {
  let written = 0;
  const write = async (): Promise<void> => {
    while (written < events) {
      const commits = sessionCommits(newId("organization"), turnsPerSession);
      written += commits.length;
      for (const { ref, event } of commits) await writer.write(ref, [event]);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return written;
};

const measureVisible = async (
  writer: LogWriter,
  wait: Wait,
  { appends, perSecond }: { readonly appends: number; readonly perSecond: number },
): Promise<{ p50: number; p99: number }> => {
  const turns = Math.ceil(appends / 7);
  const commits = sessionCommits(newId("organization"), turns).slice(0, appends);
  const measured: Promise<number>[] = [];
  const begun = performance.now();
  for (const [index, { ref, event }] of commits.entries()) {
    const early = begun + (index * 1_000) / perSecond - performance.now();
    if (early > 1) await delay(early);
    const started = performance.now();
    const position = await writer.write(ref, [event]);
    measured.push(until(wait, position).then(() => performance.now() - started));
  }
  const sorted = (await Promise.all(measured)).sort((a, b) => a - b);
  const percentile = (share: number): number =>
    Number((sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2));
  return { p50: percentile(0.5), p99: percentile(0.99) };
};
