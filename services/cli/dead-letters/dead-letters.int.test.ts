import { Command } from "commander";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { findDeadLetter } from "#event-store/workers/dead-letters";
import { execute } from "#event-store/aggregates/execute";
import { startReactor } from "#event-store/workers/reactor";
import { counter, setMode, testMeta } from "#event-store/testing/counter";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import { readConfig } from "../../config.ts";
import { addDeadLetterCommands } from "../commands/dead-letters.ts";

let test: TestEventStore;
beforeAll(async () => {
  test = await openTestEventStore();
});
afterAll(() => test.close());
afterEach(() => {
  process.exitCode = undefined;
});

const patience = { timeout: 30_000, interval: 20 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

const dead = async (...args: readonly string[]): Promise<string[]> => {
  const lines: string[] = [];
  const program = new Command("proliferate").exitOverride();
  addDeadLetterCommands(program, {
    config: readConfig({
      NATS_URL: test.url,
      DATABASE_URL: "postgres://127.0.0.1/unused",
      DURABILITY: test.durability,
    }),
    print: (line) => lines.push(line),
  });
  await program.parseAsync(["dead", ...args], { from: "user" });
  return lines;
};

describe("dead", () => {
  it("lists, shows, requeues and drops what a reactor could not do", async () => {
    const state = { broken: true };
    const reactor = await startReactor(test.store, {
      name: "fragile",
      aggregates: ["policy"],
      maxAttempts: 1,
      log,
      react: () => (state.broken ? Promise.reject(new Error("out of order")) : Promise.resolve()),
    });
    expect(await dead("list")).toEqual(["No dead letters."]);
    const key = { organization: newId("organization"), id: newId("policy") };
    await execute(test.store, counter, key, setMode("first"), testMeta());
    await execute(test.store, counter, key, setMode("second"), testMeta());
    const [first, second] = ["fragile.EVENTS_0.1", "fragile.EVENTS_0.2"] as const;
    await vi.waitUntil(() => findDeadLetter(test.store, first), patience);
    await vi.waitUntil(() => findDeadLetter(test.store, second), patience);

    const listed = (await dead("list", "--json")).map(
      (line) => JSON.parse(line) as { id: string; attempts: number },
    );
    expect(listed.map(({ id }) => id).sort()).toEqual([first, second]);
    expect((await dead("list"))[0]).toMatch(/^LETTER +SINCE +ATTEMPTS +REQUEUED +ERROR$/);
    expect(await dead("list", "--worker", "other")).toEqual(["No dead letters."]);
    const shown = (await dead("show", first)).join("\n");
    expect(shown).toContain("out of order");
    expect(shown).toContain('"action": "first"');
    expect(JSON.parse((await dead("show", second, "--json"))[0] ?? "")).toMatchObject({
      history: [{ attempt: 1, error: { message: "out of order" } }],
      original: { position: "0:2", commit: { events: [{ data: { action: "second" } }] } },
    });

    expect(await dead("requeue", first, "--wait", "30")).toEqual([
      `${first}: failed again: out of order`,
    ]);
    expect(process.exitCode).toBe(1);
    state.broken = false;
    expect(await dead("requeue", first, "--wait", "30")).toEqual([`${first}: handled`]);
    expect(await dead("drop", second, "--reason", "obsolete", "--by", "ada")).toEqual([
      `${second}: dropped`,
    ]);
    await reactor.stop();
    expect(await dead("list")).toEqual(["No dead letters."]);
    expect((await dead("list", "--dropped"))[1]).toContain("dropped by ada: obsolete");
    await expect(dead("requeue", second)).rejects.toMatchObject({ code: "not_found" });
    await expect(dead("show", "no-such-letter")).rejects.toMatchObject({ code: "not_found" });
  });

  it("says so when nobody takes a requeued message", async () => {
    const reactor = await startReactor(test.store, {
      name: "stopped",
      aggregates: ["policy"],
      maxAttempts: 1,
      log,
      react: () => Promise.reject(new Error("out of order")),
    });
    const letter = "stopped.EVENTS_0.1";
    await vi.waitUntil(() => findDeadLetter(test.store, letter), patience);
    await reactor.stop();
    expect(await dead("requeue", letter, "--wait", "0")).toEqual([
      `${letter}: requeued; no worker has settled it yet`,
    ]);
  });
});
