import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import type { EventStore } from "../event-store.ts";
import { execute } from "../aggregates/execute.ts";
import { loadAggregate } from "../aggregates/load.ts";
import type { Log } from "../log.ts";
import { startReactor } from "../workers/reactor.ts";
import { shardOf, streamOf } from "../sharding.ts";
import { counter, setMode, testMeta } from "../testing/counter.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";
import { exportHistory } from "./export-history.ts";
import { readHistory } from "./history.ts";
import { importHistory } from "./import-history.ts";
import { messagesOf, openTamperedLog } from "./testing/tampered-log.ts";
import { verifyLog } from "./verify-log.ts";

const organization = newId("organization");
const one = { organization, id: newId("policy") };
const two = { organization, id: newId("policy") };
const stranger = { organization: newId("organization"), id: newId("policy") };
const commits = 30;

let source: TestEventStore;
let folder: string;
/** A whole export, and its text. */
let path: string;
let text: string;

beforeAll(async () => {
  source = await openTestEventStore();
  for (let round = 0; round < commits / 2; round += 1) {
    for (const key of [one, stranger, two]) {
      await execute(source.store, counter, key, setMode(`ä${round}"\n`), testMeta());
    }
  }
});
afterAll(() => source.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "proliferate-test-export-"));
  path = join(folder, "whole.ndjson");
  await exportHistory(source.store, { organization, path });
  text = await readFile(path, "utf8");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const written = async (name: string, content: string): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
};

/** What the log has of the organisation, without where it stands. */
const historyOf = async ({ store }: { readonly store: EventStore }) => {
  const history: unknown[] = [];
  for await (const { ref, hash, commit } of readHistory(store, { organization })) {
    history.push({ ref, hash, commit });
  }
  return history;
};

describe("an export", () => {
  it("holds the organisation's commits, and says how many and of which bytes", () => {
    const lines = text.trimEnd().split("\n");
    expect(lines).toHaveLength(commits + 2);
    expect(text).not.toContain(stranger.organization);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ commits });
  });

  it("goes on from wherever it was cut off, and ends up the same byte for byte", async () => {
    const bytes = Buffer.from(text);
    const firstLine = text.indexOf("\n");
    const lastLine = bytes.lastIndexOf("\n", -2);
    const middle = Math.floor(bytes.length / 2);
    const cuts = [0, 10, firstLine, firstLine + 1, middle, lastLine, lastLine + 1, lastLine + 9];
    for (const cut of [...cuts, bytes.indexOf("ä") + 1, bytes.length - 1, bytes.length]) {
      const file = join(folder, `cut-at-${cut}.ndjson`);
      await writeFile(file, bytes.subarray(0, cut));
      const exported = await exportHistory(source.store, { organization, path: file });
      expect(exported.commits).toBe(commits);
      expect(exported.found).toBeLessThanOrEqual(commits);
      expect((await readFile(file)).equals(bytes)).toBe(true);
    }
  });

  it("leaves alone a file that is something else", async () => {
    const refused = { code: "export_invalid" };
    const changed = text.replace("ActionModeSet", "ActionModeLet");
    for (const content of ["my only copy", "my only copy\n", changed, `${text}more\n`]) {
      const file = await written("other.ndjson", content);
      await expect(exportHistory(source.store, { organization, path: file })).rejects.toMatchObject(
        refused,
      );
      expect(await readFile(file, "utf8")).toBe(content);
    }
    await expect(
      exportHistory(source.store, { organization: stranger.organization, path }),
    ).rejects.toMatchObject(refused);
    await expect(
      exportHistory(source.store, {
        organization: newId("organization"),
        path: join(folder, "nobody.ndjson"),
      }),
    ).rejects.toMatchObject({ code: "not_found" });
  });

  it("is refused for a history whose chain is broken", async () => {
    await using tampered = await openTamperedLog();
    const own = (await messagesOf(source.store)).map(({ subject, data }) => ({ subject, data }));
    await tampered.fill(own.filter((_, index) => index !== 6));
    await expect(
      exportHistory(tampered.store, { organization, path: join(folder, "broken.ndjson") }),
    ).rejects.toMatchObject({ code: "export_invalid" });
  });
});

describe("an import", () => {
  let target: TestEventStore;
  beforeEach(async () => {
    target = await openTestEventStore({ shards: 2 });
  });
  afterEach(() => target.close());

  it("gives an empty log the same commits, hashes and order, and a history that goes on", async () => {
    await execute(target.store, counter, stranger, setMode("there before"), testMeta());
    expect(await importHistory(target.store, path)).toEqual({ organization, commits, found: 0 });
    expect(await historyOf(target)).toEqual(await historyOf(source));
    expect(await verifyLog(target.store)).toMatchObject({ ok: true, commits: commits + 1 });
    const { state } = await loadAggregate(source.store, counter, one);
    expect(await loadAggregate(target.store, counter, one)).toMatchObject({ state });
    // Going on with it does not make a later import of the same file a conflict.
    await execute(target.store, counter, one, setMode("afterwards"), testMeta());
    expect(await importHistory(target.store, path)).toMatchObject({ found: commits });
    expect(await verifyLog(target.store)).toMatchObject({ ok: true, commits: commits + 2 });
  });

  it("goes on after it was cut off, whether or not its last answer came", async () => {
    for (const [index, outcome] of (["before", "after"] as const).entries()) {
      await expect(
        importHistory(failingAfter(target.store, 11 - index, outcome), path),
      ).rejects.toThrow("cut off");
    }
    // 11 by the first; of the second's 10, the last was stored without an answer.
    expect(await historyOf(target)).toHaveLength(22);
    expect(await importHistory(target.store, path)).toMatchObject({ commits, found: 22 });
    expect(await historyOf(target)).toEqual(await historyOf(source));
  });

  it("writes nothing of a file that was changed, cut, reordered or not finished", async () => {
    const lines = text.trimEnd().split("\n");
    const joined = (changed: readonly string[]): string => `${changed.join("\n")}\n`;
    const swapped = lines.with(5, lines[7] ?? "").with(7, lines[5] ?? "");
    const damaged = {
      "a commit changed": text.replace("ActionModeSet", "ActionModeLet"),
      "a commit left out": joined(lines.toSpliced(4, 1)),
      "commits reordered": joined(swapped),
      "a commit twice": joined(lines.toSpliced(4, 0, lines[4] ?? "")),
      "the end missing": joined(lines.slice(0, -1)),
      "the last commit missing": joined(lines.toSpliced(-2, 1)),
      "another organisation": text.replace(organization, newId("organization")),
      "no header": joined(lines.slice(1)),
      nothing: "",
    };
    for (const [name, content] of Object.entries(damaged)) {
      await expect(
        importHistory(target.store, await written("damaged.ndjson", content)),
        name,
      ).rejects.toMatchObject({ code: "export_invalid" });
    }
    expect(await messagesOf(target.store)).toEqual([]);
    expect(await historyOf(target)).toEqual([]);
  });

  it("does not mix two histories of an organisation", async () => {
    await execute(target.store, counter, two, setMode("something else"), testMeta());
    await expect(importHistory(target.store, path)).rejects.toMatchObject({
      code: "import_conflict",
    });
    expect(await historyOf(target)).toHaveLength(1);
  });

  it("is refused while workers run, who would act on the past", async () => {
    const reacted: string[] = [];
    const shard = streamOf(shardOf(organization, target.store.shards));
    const worker = await startReactor(target.store, {
      name: "eager",
      aggregates: ["policy"],
      react: ({ position }) => {
        reacted.push(position);
        return Promise.resolve();
      },
      log: silent,
    });
    try {
      // The server learns of the worker's first request in its own time.
      await vi.waitFor(
        async () => {
          const { num_waiting: waiting } = await target.store.jsm.consumers.info(shard, "eager");
          expect(waiting).toBeGreaterThan(0);
        },
        { timeout: 30_000 },
      );
      await expect(importHistory(target.store, path)).rejects.toMatchObject({
        code: "import_conflict",
        fields: { workers: ["eager"] },
      });
    } finally {
      await worker.stop();
    }
    expect(reacted).toEqual([]);
  });
});

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A store whose writer dies at its next append once it has made so many: before it is sent, or just after. */
const failingAfter = (
  store: EventStore,
  appends: number,
  outcome: "before" | "after",
): EventStore => {
  let made = 0;
  const publish: EventStore["js"]["publish"] = async (...sent) => {
    if (made < appends) {
      made += 1;
      return store.js.publish(...sent);
    }
    if (outcome === "after") await store.js.publish(...sent);
    throw new Error("cut off");
  };
  return { ...store, js: Object.assign(Object.create(store.js) as EventStore["js"], { publish }) };
};
