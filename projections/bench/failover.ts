/** How long the read models stand still when the process that projects is killed, and another one waits. */
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "#contracts/ids";
import { startTestProcess, type TestProcess } from "#event-store/testing/child-process";
import * as events from "../testing/events.ts";
import { type LogWriter, openLogWriter } from "../testing/log-writer.ts";
import { prepareReadModels } from "../runtime/prepare.ts";
import { killedModels } from "../testing/killed-models.ts";
import { openProgress } from "../wait-for-position.ts";
import { type BenchStack, withBenchStack } from "./bench-stack.ts";
import { visible } from "./catch-up.ts";

export interface FailoverFigures {
  /**
   * From SIGKILL of the active process until every read model shows a commit that was appended after it;
   * the longest of several times.
   */
  readonly failoverSeconds: number;
}

const kills = 5;
const writeEveryMs = 10;
const lookEveryMs = 10;

/** Kills the active one of two projectors again and again, in a log that grows. */
export const measureFailover = (): Promise<FailoverFigures> =>
  withBenchStack(async (stack) => {
    const sql = stack.openSql();
    const ending = new AbortController();
    const writer = openLogWriter(stack.store);
    const writing = keepWriting(writer, ending.signal);
    let processes: readonly TestProcess[] = [];
    try {
      await prepareReadModels(sql, killedModels);
      await using progress = await openProgress(sql);
      const seconds: number[] = [];
      for (let kill = 0; kill < kills; kill += 1) {
        const missing = await Promise.all(
          Array.from({ length: 2 - processes.length }, () => startProjecting(stack)),
        );
        processes = [...processes, ...missing];
        const active = await activeOf(processes);
        const killed = performance.now();
        await active.kill();
        processes = processes.filter((one) => one !== active);
        await visible(progress, await writeOne(writer));
        seconds.push((performance.now() - killed) / 1_000);
      }
      return { failoverSeconds: Math.max(...seconds) };
    } finally {
      ending.abort();
      await writing;
      await Promise.all(processes.map((child) => child.kill()));
      await sql.end({ timeout: 5 });
    }
  });

const startProjecting = ({ natsUrl, databaseUrl }: BenchStack): Promise<TestProcess> =>
  startTestProcess(new URL("../testing/projector-process.ts", import.meta.url), [
    "project",
    natsUrl,
    databaseUrl,
    "500",
  ]);

/** Waits until one of two processes projects and the other one has found that out. */
const activeOf = async (two: readonly TestProcess[]): Promise<TestProcess> => {
  const saying = (state: string) => two.find(({ lines }) => lines.at(-1) === state);
  for (;;) {
    const active = saying("projecting");
    if (active !== undefined && saying("standby") !== undefined) return active;
    await delay(lookEveryMs);
  }
};

const writeOne = (writer: LogWriter) =>
  writer.write(events.sessionRef(newId("organization")), [events.sessionCreated()]);

/** Whoever stands by takes over a log in which nothing happens: it cannot tell that from a dead process. */
const keepWriting = async (writer: LogWriter, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await writeOne(writer);
    await delay(writeEveryMs);
  }
};
