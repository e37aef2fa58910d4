import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineEvent } from "./define-event.ts";
import { isDomainError } from "./errors.ts";
import { derivedId } from "./ids.ts";
import { assertReadable, type EventRegistry, readEvent } from "./read-event.ts";

/** An event on its third version: `name` became `names`, and then each of them got a colour. */
const painted = defineEvent("WallPainted", 3, {
  names: z.array(z.object({ name: z.string(), colour: z.string() })),
});
const registry: EventRegistry = {
  definitions: new Map([[painted.type, painted]]),
  upcasters: {
    "WallPainted:1": ({ name }) => ({ names: [name] }),
    "WallPainted:2": ({ names }) => ({
      names: (names as readonly string[]).map((name) => ({ name, colour: "white" })),
    }),
  },
};
const id = derivedId("event", "test");
const stored = (v: number, data: Record<string, unknown>, type = "WallPainted") => ({
  id,
  type,
  v,
  data,
});

const refusal = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return isDomainError(error) ? { code: error.code, ...error.fields } : error;
  }
};

describe("reading an event", () => {
  it("lifts each older version to the present one, step by step", () => {
    const present = { type: "WallPainted", data: { names: [{ name: "hall", colour: "white" }] } };
    expect(readEvent(stored(1, { name: "hall" }), registry)).toEqual(present);
    expect(readEvent(stored(2, { names: ["hall"] }), registry)).toEqual(present);
    expect(readEvent(stored(3, present.data), registry)).toEqual(present);
  });

  it("does not lift what is of the present version already", () => {
    const blue = { names: [{ name: "hall", colour: "blue" }] };
    expect(readEvent(stored(3, blue), registry).data).toEqual(blue);
  });

  it.each([
    ["reads", readEvent],
    ["looks at no data", assertReadable],
  ])("names a type or version that it does not know, where it %s", (_where, read) => {
    expect(refusal(() => read(stored(1, {}, "WallRemoved"), registry))).toEqual({
      code: "event_unknown",
      type: "WallRemoved",
    });
    // Written by a newer program than this one.
    expect(refusal(() => read(stored(4, {}), registry))).toEqual({
      code: "event_unknown",
      type: "WallPainted",
      v: 4,
    });
    const gap = {
      ...registry,
      upcasters: { "WallPainted:2": registry.upcasters["WallPainted:2"]! },
    };
    expect(refusal(() => read(stored(1, { name: "hall" }), gap))).toEqual({
      code: "event_unknown",
      type: "WallPainted",
      v: 1,
    });
  });

  it("names an event whose data fit no version", () => {
    expect(assertReadable(stored(1, { name: 7 }), registry)).toBeUndefined();
    const invalid = { code: "event_invalid", id, type: "WallPainted" };
    expect(refusal(() => readEvent(stored(3, { names: "hall" }), registry))).toEqual(invalid);
    expect(refusal(() => readEvent(stored(1, { name: 7 }), registry))).toEqual(invalid);
    // The function from 2 to 3 throws on this one.
    expect(refusal(() => readEvent(stored(2, {}), registry))).toEqual(invalid);
  });
});
