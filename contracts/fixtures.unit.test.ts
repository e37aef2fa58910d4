/**
 * What was written once must be readable for ever. Each event type and version has a file of stored
 * events here, and the lock keeps their content: a shipped file is never edited, only joined by one
 * of a newer version.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { storedEventSchema } from "./commit.ts";
import { allEvents, definitionOf, parseEvent } from "./event-registry.ts";

const folder = new URL("./fixtures/", import.meta.url);
const lockName = "fixtures.lock.json";
const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(name, folder), "utf8"));

const names = readdirSync(folder).filter((name) => name !== lockName);
const lock = z.record(z.string(), z.string()).parse(readJson(lockName));
const fixtures = names.map((name) => {
  const stored = z.array(storedEventSchema.strict()).min(1).parse(readJson(name));
  return { name, stored };
});

/** Of the content, whatever its indentation and line ends. */
const hashOf = (name: string): string =>
  createHash("sha256")
    .update(JSON.stringify(readJson(name)))
    .digest("hex");

describe("the golden files of events", () => {
  it("are told apart by their type, which no two events share", () => {
    const types = allEvents.map(({ type }) => type);
    expect(types).toHaveLength(new Set<string>(types).size);
  });

  it("exist for every event in its present version", () => {
    const missing = allEvents
      .map(({ type, v }) => `${type}.v${v}.json`)
      .filter((name) => !names.includes(name));
    expect(missing, "add these to contracts/fixtures, each a list of stored events").toEqual([]);
  });

  it.each(fixtures)("$name holds events of the type and version that it names", (fixture) => {
    for (const { type, v } of fixture.stored) {
      expect(`${type}.v${v}.json`).toBe(fixture.name);
    }
  });

  it.each(fixtures)("$name can be read, and loses nothing if it is of today", ({ stored }) => {
    for (const event of stored) {
      const read = parseEvent(event);
      if (event.v === definitionOf(event.type).v) {
        expect(read).toStrictEqual({ type: event.type, data: event.data });
      }
    }
  });

  it.each(names)("%s is as it was when it was locked", (name) => {
    const advice =
      lock[name] === undefined
        ? `it is new: add  "${name}": "${hashOf(name)}"  to contracts/fixtures/${lockName}`
        : "it was shipped: undo the change, and give a new shape a new version, an upcaster and a file of its own";
    expect(hashOf(name), advice).toBe(lock[name]);
  });

  it("are never removed, because the log still holds such events", () => {
    expect(Object.keys(lock).filter((name) => !names.includes(name))).toEqual([]);
  });
});
