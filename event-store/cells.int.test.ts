import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { newId } from "#contracts/ids";
import { type Cells, openCells } from "./cells.ts";
import { openTestEventStore, type TestEventStore } from "./testing/test-event-store.ts";

let test: TestEventStore;
/** As two processes have them, which remember what each has seen last. */
let one: Cells<number>;
let other: Cells<number>;
beforeAll(async () => {
  test = await openTestEventStore();
  const options = { name: "test", schema: z.number(), ttlMs: 60_000 };
  one = await openCells(test.store, options);
  other = await openCells(test.store, options);
});
afterAll(() => test.close());

const oneMore = (value: number | null): number => (value ?? 0) + 1;

it("counts each change once, whoever makes it and however many at once", async () => {
  const key = newId("session");
  for (let round = 0; round < 5; round += 1) {
    await one.change(key, oneMore);
    await other.change(key, oneMore);
  }
  const ten = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : other));
  await Promise.all(ten.map((cells) => cells.change(key, oneMore)));
  expect(await one.change(key, oneMore)).toBe(21);
});

it("refuses only what the newest value refuses", async () => {
  const key = newId("session");
  const unlessFull = (value: number | null): number => {
    if (value === 1) throw new Error("full");
    return 1;
  };
  await one.change(key, unlessFull);
  await expect(one.change(key, unlessFull)).rejects.toThrow("full");
  await other.change(key, () => 0);
  expect(await one.change(key, unlessFull)).toBe(1);
  await expect(other.change(key, unlessFull)).rejects.toThrow("full");
});
