import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type RestartableNats, startRestartableNats } from "#event-store/testing/restartable-nats";
import { patience, type RunnerStack, startRunnerStack } from "../../runner/testing/runner-stack.ts";
import { runningStack } from "../../running.ts";
import { expectIntact } from "./expect-intact.ts";
import { followTranscript } from "./follow-transcript.ts";
import { type RestartablePostgres, startRestartablePostgres } from "./restartable-postgres.ts";

const sessions = 5;

const started = runningStack();
let nats: RestartableNats;
let postgres: RestartablePostgres;
let test: RunnerStack;
beforeAll(async () => {
  nats = await startRestartableNats();
  started.add({ stop: () => nats.close() });
  postgres = await startRestartablePostgres();
  started.add({ stop: () => postgres.close() });
  test = await startRunnerStack({
    NATS_URL: nats.url,
    DATABASE_URL: postgres.url,
    DURABILITY: "relaxed",
    // What a server that is away makes the parts say is not what is looked at here.
    LOG_LEVEL: "silent",
  });
  started.add({ stop: () => test.close() });
  await test.startRunner();
  await test.startRunner();
}, 240_000);
afterAll(() => started.stop(), 60_000);

const servers = {
  "the NATS server": {
    kill: () => nats.end("SIGKILL"),
    start: () => nats.start(),
  },
  Postgres: {
    kill: () => postgres.kill(),
    start: () => postgres.start(),
  },
};

describe.each(Object.entries(servers))("while sessions stream, %s is killed", (_, server) => {
  it.each(["while it is away", "after it has come back"])(
    "and nothing is lost or doubled of what the agents say %s",
    async (when) => {
      const answers = test.host.holdAnswers("word");
      const followed = await Promise.all(
        Array.from({ length: sessions }, async (_none, index) => {
          const session = await test.create(`question ${index}`);
          return { session, follower: await followTranscript(test.stack.client, session) };
        }),
      );
      await answers.reached;
      await vi.waitFor(() => {
        for (const { follower } of followed) expect(follower.streaming()).toHaveLength(1);
      }, patience);
      await server.kill();
      if (when === "while it is away") answers.open();
      await server.start();
      answers.open();
      for (const { session, follower } of followed) {
        await expectIntact({
          client: test.stack.client,
          store: test.stack.program.platform.store,
          organization: test.stack.organization,
          session,
          prompts: 1,
          followers: [follower],
          patienceMs: patience.timeout,
        });
        follower.close();
      }
    },
    300_000,
  );
});
