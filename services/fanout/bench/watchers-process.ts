/** Thousands of watchers in a process of their own. */
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { cpuUsOfThisProcess, serveCommands } from "#infra/bench/worker-process";
import { sharedClockUs } from "./bench-sessions.ts";
import { RawWatcher } from "./raw-watcher.ts";

/** So many connections are opened before the next ones, so that no queue of the system overflows. */
const wave = 200;

/** How long after the last publish every token has come. */
const patienceMs = 60_000;

interface Group {
  readonly ticket: string;
  readonly watchers: readonly RawWatcher[];
}

const groups: Group[] = [];
const all = (): RawWatcher[] => groups.flatMap(({ watchers }) => watchers);
const latenciesMs: number[] = [];
let changed: () => void = () => undefined;

/** Resolves once it holds for each of the watchers. @throws Error when one of them broke */
const untilEach = async (
  watchers: readonly RawWatcher[],
  holds: (watcher: RawWatcher) => boolean,
): Promise<void> => {
  // Those for which it holds are not asked again: ten thousand would be asked for each of ten thousand.
  let waiting = watchers;
  for (;;) {
    if (waiting.some(({ broken }) => broken)) throw new Error("A watcher broke.");
    waiting = waiting.filter((watcher) => !holds(watcher));
    if (waiting.length === 0) return;
    await new Promise<void>((resolve) => {
      changed = () => setImmediate(resolve);
    });
  }
};

/** The publisher writes the time into what it publishes, followed by a semicolon. */
const noteLatency = (json: Buffer): void => {
  const { message } = JSON.parse(json.toString()) as { readonly message: { delta: string } };
  const now = sharedClockUs();
  for (const sentAt of message.delta.split(";").slice(0, -1)) {
    latenciesMs.push((now - Number(sentAt)) / 1_000);
  }
};

const open = (port: number, ticket: string, watcher: RawWatcher): void => {
  const after = watcher.seq === null ? "" : `&lastSeq=${watcher.seq}`;
  watcher.open(port, `/v1/live?ticket=${ticket}${after}`);
};

const commands = {
  /** Connects so many watchers for each ticket, and resolves when each has its first frame. */
  connect: async (
    port: number,
    tickets: readonly string[],
    perTicket: number,
    timed: boolean,
  ): Promise<void> => {
    for (const ticket of tickets) {
      const watchers = Array.from(
        { length: perTicket },
        () =>
          new RawWatcher({
            onData: () => {
              changed();
            },
            ...(timed && { onLive: noteLatency }),
          }),
      );
      groups.push({ ticket, watchers });
      for (let from = 0; from < perTicket; from += wave) {
        const opened = watchers.slice(from, from + wave);
        for (const watcher of opened) open(port, ticket, watcher);
        await untilEach(opened, ({ welcomed }) => welcomed);
      }
    }
  },
  /** Resolves when every watcher has got exactly so many frames, with the shared clock's time. */
  untilEachHas: async (frames: number): Promise<number> => {
    await untilEach(all(), ({ live }) => live >= frames);
    const at = sharedClockUs();
    const doubled = all().filter(({ live }) => live > frames).length;
    if (doubled > 0) throw new Error(`${doubled} watchers have got more than there was.`);
    return at;
  },
  cut: (): void => {
    for (const watcher of all()) watcher.cut();
  },
  /** Reconnects everybody at once, after what they saw last; answers the seconds until nobody lacks a frame. */
  resume: async (port: number, frames: number): Promise<number> => {
    const started = performance.now();
    for (const { ticket, watchers } of groups) {
      for (const watcher of watchers) open(port, ticket, watcher);
    }
    await commands.untilEachHas(frames);
    return (performance.now() - started) / 1_000;
  },
  /** Resolves when the latencies of so many tokens are known. @throws Error when they do not come */
  untilTimed: async (tokens: number): Promise<void> => {
    const until = performance.now() + patienceMs;
    while (latenciesMs.length < tokens) {
      if (performance.now() > until) {
        throw new Error(`Only ${latenciesMs.length} of ${tokens} tokens have come.`);
      }
      await delay(10);
    }
  },
  /** Answers and forgets them. */
  latencies: (): readonly number[] => latenciesMs.splice(0),
  cpuUs: cpuUsOfThisProcess,
};
export type WatchersCommands = typeof commands;

serveCommands(commands);
