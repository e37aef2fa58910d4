import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import { exportHistory } from "#event-store/audit/export-history";
import { lastSequence } from "#event-store/reading/commit-feed";
import { subjectOf } from "#event-store/sharding";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import {
  promptQueued,
  sandboxReady,
  sessionCreated,
  sessionRef,
} from "#projections/testing/events";
import { openTestReadModels, type TestReadModels } from "#projections/testing/test-read-models";
import { readConfig } from "../../../config.ts";
import { addAuditCommands } from "./index.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const waiting = { timeout: 60_000, interval: 20 };

let test: TestReadModels;
let folder: string;
const started: ChildProcess[] = [];
const organization = newId("organization");
const session = sessionRef(organization);
const promptId = newId("prompt");
let created: Position;
let asked: Position;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "proliferate-test-audit-"));
  test = await openTestReadModels();
  created = await test.writer.write(session, [sessionCreated("Fix it")]);
  asked = await test.writer.write(session, [promptQueued(promptId), sandboxReady]);
  await test.startProjector();
  await test.reached(asked);
});
afterAll(async () => {
  // Those of a test that failed; the others have ended.
  for (const child of started) child.kill("SIGKILL");
  await test[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const environmentOf = ({ url, durability }: TestEventStore) => ({
  NATS_URL: url,
  DATABASE_URL: test.databaseUrl,
  DURABILITY: durability,
});

/** The operator's CLI as a process of its own, which may be killed. */
const start = (log: TestEventStore, args: readonly string[]) => {
  const child = spawn(
    process.execPath,
    [
      "--conditions=proliferate-source",
      "--import",
      "tsx",
      "services/cli/main.ts",
      "audit",
      ...args,
    ],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: process.env["PATH"], ...environmentOf(log) },
    },
  );
  started.push(child);
  return child;
};

/** The same inside this process: what it printed, and the code that it would exit with. */
const run = async (args: readonly string[], log = test.log, settings = {}) => {
  const lines: string[] = [];
  const program = new Command().configureOutput({ writeErr: () => undefined });
  program.exitOverride();
  addAuditCommands(program, {
    config: readConfig({ ...environmentOf(log), ...settings }),
    print: (line) => lines.push(line),
  });
  const before = process.exitCode;
  try {
    await program.parseAsync(["audit", ...args], { from: "user" });
    return { lines, code: process.exitCode ?? 0 };
  } finally {
    process.exitCode = before;
  }
};

const kill = async (child: ChildProcess): Promise<void> => {
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
};

// A process compiles the program before it does anything.
describe("the audit commands", { timeout: 120_000 }, () => {
  it("tell what happened, to people and to machines", async () => {
    const human = await run(["log", "--aggregate", session.id]);
    expect(human.lines).toHaveLength(3);
    expect(human.lines[0]).toMatch(/^STORED +POSITION +AGGREGATE +EVENTS +ACTOR$/);
    expect(human.lines[2]).toContain(`session ${session.id}`);
    expect(human.lines[2]).toContain("PromptQueued, SandboxReady");
    const json = await run(["log", "--organization", organization, "--limit", "1", "--json"]);
    expect(json.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { position: asked, id: session.id, events: [{ type: "PromptQueued" }, {}], meta: {} },
    ]);
  });

  it("refuse what they cannot understand in one sentence", async () => {
    await expect(run(["log", "--since", "yesterday"])).rejects.toThrow('"yesterday" is not a time');
    await expect(run(["log", "--aggregate", "*"])).rejects.toThrow('"*" is not an aggregate');
    await expect(run(["show", "0:999"])).rejects.toMatchObject({ code: "not_found" });
  });

  it("show a commit, and the state then and how it changed", async () => {
    const shown = await run(["show", asked]);
    expect(shown.lines[0]).toBe(`Commit ${asked}`);
    expect(shown.lines.at(-1)).toMatch(/PromptQueued, SandboxReady .*this one$/);
    const then = await run(["state", session.id, "--at", created, "--json"]);
    expect(JSON.parse(then.lines.join(""))).toMatchObject({
      position: created,
      commits: 1,
      state: { status: "pending", title: "Fix it", prompts: [] },
    });
    const changed = await run(["state", session.id, "--at", created, "--diff", asked, "--json"]);
    expect(JSON.parse(changed.lines.join(""))).toMatchObject({
      differences: expect.arrayContaining([
        { path: "status", kind: "changed", before: "pending", after: "running" },
        expect.objectContaining({ path: "prompts[0]", kind: "added" }),
      ]) as unknown,
    });
  });

  it("verify a whole log, and fail on one that is not, naming what is wrong", async () => {
    const whole = await run(["verify"]);
    expect(whole).toMatchObject({ code: 0, lines: ["Verified 2 commits of 1 aggregate."] });
    await using other = await openTestStore();
    await other.store.js.publish(subjectOf(session, 1), "not a commit");
    const { code, lines } = await run(["verify", "--json"], other);
    expect(code).toBe(1);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { kind: "unreadable", position: "0:1" },
      { kind: "changed", position: "0:1", aggregate: { id: session.id } },
      { kind: "removed", position: "0:2" },
      { ok: false, faults: 3 },
    ]);
    const blind = await run(["verify", "--no-read-model"], other);
    expect(blind.lines.at(-1)).toBe("1 fault in 1 commit of 1 aggregate.");
  });

  it("export and import a history, and go on after they were killed", async () => {
    const busy = newId("organization");
    const ref = sessionRef(busy);
    for (let index = 0; index < 1_000; index += 1) {
      await test.writer.write(ref, [promptQueued()]);
    }
    const whole = join(folder, "whole.ndjson");
    await exportHistory(test.store, { organization: busy, path: whole });

    const path = join(folder, "cut.ndjson");
    const arguments_ = ["--organization", busy, "--out", path, "--json"];
    const exporting = start(test.log, ["export", ...arguments_]);
    await vi.waitFor(async () => expect((await stat(path)).size).toBeGreaterThan(0), waiting);
    await kill(exporting);
    const exported = await run(["export", ...arguments_]);
    expect(JSON.parse(exported.lines.join(""))).toMatchObject({ commits: 1_000 });
    expect((await readFile(path)).equals(await readFile(whole))).toBe(true);

    await using other = await openTestStore();
    const importing = start(other, ["import", path]);
    await vi.waitFor(
      async () => expect(await lastSequence(other.store, 0)).toBeGreaterThan(20),
      waiting,
    );
    await kill(importing);
    const { lines } = await run(["import", path, "--json"], other);
    const imported = JSON.parse(lines.join("")) as { found: number };
    expect(imported).toMatchObject({ organization: busy, commits: 1_000 });
    expect(imported.found).toBeGreaterThan(20);
    const verified = await run(["verify", "--organization", busy, "--no-read-model"], other);
    expect(verified.lines).toEqual(["Verified 1000 commits of 1 aggregate."]);
  });

  it("erase the text of a session, if they may, and say what they cannot erase", async () => {
    const ref = sessionRef(organization);
    await test.writer.write(ref, [sessionCreated("Not to be read")]);
    const settings = { SECRETS_KEY: "01".repeat(32) };
    const erase = (...args: string[]) => run(["erase", ...args], test.log, settings);
    await expect(erase("--yes")).rejects.toThrow("Say --session or --organization");
    await expect(erase("--session", ref.id)).rejects.toThrow("say --yes");
    await expect(erase("--session", newId("session"), "--yes")).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(run(["erase", "--session", ref.id, "--yes"])).rejects.toMatchObject({
      code: "prerequisite_missing",
    });
    const { lines } = await erase("--session", ref.id, "--yes", "--by", "alice", "--json");
    expect(JSON.parse(lines.join(""))).toMatchObject({
      session: ref.id,
      aggregates: 1,
      // It was written without keys.
      unsealedEvents: 1,
      key: { by: "alice" },
    });
    const log = await run(["log", "--aggregate", ref.id, "--actor", "alice"]);
    expect(log.lines.at(-1)).toContain("TextErased");
  });

  it("take the log as they find it, whatever the settings say", async () => {
    const { jsm } = test.store;
    const { code } = await run(["verify"], test.log, { EVENT_SHARDS: "7", DURABILITY: "fsync" });
    expect(code).toBe(0);
    const shards = (await jsm.streams.names().next()).filter((name) => name.startsWith("EVENTS_"));
    expect(shards).toEqual(["EVENTS_0"]);
    await using empty = await openTestStore();
    await empty.store.jsm.streams.delete("EVENTS_0");
    await expect(run(["log"], empty)).rejects.toMatchObject({ code: "prerequisite_missing" });
  });

  it("stop when nobody reads on", async () => {
    const child = start(test.log, ["log", "--follow"]);
    await once(child.stdout, "data");
    child.stdout.destroy();
    const closed = once(child, "close");
    // What comes next finds nobody.
    await test.writer.write(sessionRef(organization), [sessionCreated()]);
    expect(await closed).toEqual([0, null]);
  });
});

const openTestStore = async () => {
  const log = await openTestEventStore();
  return { ...log, [Symbol.asyncDispose]: log.close };
};
