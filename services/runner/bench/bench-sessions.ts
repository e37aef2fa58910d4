/** Sessions on a runner and stand-in sandboxes, which are processes of their own. */
import { pathToFileURL } from "node:url";
import { newId, type OrganizationId, type SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { startWorker, type Worker } from "#infra/bench/worker-process";
import { bundledProgram } from "#infra/process/bundled-program";
import type { Platform } from "../../platform.ts";
import { runningStack } from "../../running.ts";
import { queuePrompt } from "../../sessions/commands.ts";
import { createSession } from "../../sessions/creation/create-session.ts";
import type { HostCommands } from "./host-process.ts";
import { type LiveWatch, watchLive } from "./live-watch.ts";
import { promptFor } from "./replay.ts";
import type { RunnerCommands } from "./runner-process.ts";

/** What the sessions of a benchmark need of the log's and the database's servers. */
export interface BenchServers {
  readonly platform: Platform;
  readonly natsUrl: string;
}

export interface BenchSessions {
  readonly runner: Worker<RunnerCommands>;
  readonly host: Worker<HostCommands>;
  readonly hostUrl: string;
  readonly live: LiveWatch;
  readonly organization: OrganizationId;
  readonly sessions: readonly SessionId[];
  /** Makes so many more sessions, each of which has answered a short prompt when this resolves. */
  open(count: number): Promise<void>;
  /** Prompts each of the first sessions at once, and resolves when all have answered. */
  askEach(count: number, tokens: number): Promise<void>;
}

/** So many sessions are made at a time. */
const wave = 50;

export const withBenchSessions = async <Result>(
  { platform, natsUrl }: BenchServers,
  work: (bench: BenchSessions) => Promise<Result>,
): Promise<Result> => {
  const started = runningStack();
  try {
    const host = startWorker<HostCommands>(new URL("./host-process.ts", import.meta.url));
    started.add(host);
    const program = await bundledProgram(new URL("./runner-process.ts", import.meta.url));
    const runner = startWorker<RunnerCommands>(pathToFileURL(program), []);
    started.add(runner);
    const hostUrl = await host.call("start");
    await runner.call("start", natsUrl, platform.databaseUrl, hostUrl);
    const live = watchLive(platform.store);
    const registry = { sourcesOf: () => Promise.resolve([]) };
    const deps = { store: platform.store, log: platform.log, defaultModel: "bench", registry };
    const organization = newId("organization");
    const sessions: SessionId[] = [];
    const create = async (): Promise<void> => {
      const userId = newId("user");
      const { sessionId } = await createSession(
        deps,
        {
          organization,
          title: "bench",
          origin: { kind: "user", userId },
          repositories: [],
          prompt: { text: promptFor(10), by: userId },
          idempotencyKey: null,
        },
        benchMeta(),
      );
      sessions.push(sessionId);
    };
    return await work({
      runner,
      host,
      hostUrl,
      live,
      organization,
      sessions,
      open: async (count) => {
        for (let left = count; left > 0; left -= wave) {
          const next = Math.min(left, wave);
          const answered = live.untilAnswered(next);
          await Promise.all(Array.from({ length: next }, create));
          await answered;
        }
      },
      askEach: async (count, tokens) => {
        const answered = live.untilAnswered(count);
        const prompt = { text: promptFor(tokens), by: newId("user"), idempotencyKey: null };
        await Promise.all(
          sessions
            .slice(0, count)
            .map((session) => queuePrompt(deps, { organization, session }, prompt, benchMeta())),
        );
        await answered;
      },
    });
  } finally {
    await started.stop();
  }
};

const benchMeta = () => newCommandMeta({ actor: { kind: "service", id: "bench", via: "bench" } });
