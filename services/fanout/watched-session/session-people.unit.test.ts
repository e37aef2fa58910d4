import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import type { PeopleNote } from "#event-store/live/people-channel";
import type { EncodedFrame } from "../frame.ts";
import { SessionPeople } from "./session-people.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** One process; what others tell it is said by the test. */
const start = () => {
  const told: PeopleNote[] = [];
  let hear: (note: PeopleNote) => void = () => undefined;
  const people = new SessionPeople({
    instance: "here",
    openChannel: (listener) => {
      hear = listener;
      return { tell: (note) => told.push(note), stop: () => undefined };
    },
    now: () => Date.now(),
  });
  const frames: { count: number; people: unknown[] }[] = [];
  const show = ({ data }: EncodedFrame) => frames.push(JSON.parse(data.toString()) as never);
  return { people, told, frames, show, hear: (note: PeopleNote) => hear(note) };
};

it("forgets whom a process saw that has fallen silent, and somebody who stopped typing", () => {
  const { people, frames, show, hear } = start();
  const [ours, theirs] = [newId("user"), newId("user")];
  const attendance = people.enter(ours);
  attendance.follow(show);
  attendance.typing(true);
  hear({ instance: "there", asks: false, people: [{ userId: theirs, typing: false }] });
  vi.advanceTimersByTime(1_000);
  expect(frames.at(-1)).toMatchObject({ count: 2 });
  expect(frames.at(-1)?.people).toContainEqual({ userId: ours, typing: true });
  vi.advanceTimersByTime(10_000);
  expect(frames.at(-1)?.people).toContainEqual({ userId: ours, typing: false });
  vi.advanceTimersByTime(20_000);
  expect(frames.at(-1)).toMatchObject({ count: 1, people: [{ userId: ours }] });
  people.close();
});

it("tells the others what it sees: when it changes, when it is asked, and again while it is so", () => {
  const { people, told, hear } = start();
  expect(told).toMatchObject([{ asks: true, people: [] }]);
  const userId = newId("user");
  // Two windows of one person are one person, and one change.
  const windows = [people.enter(userId), people.enter(userId)];
  vi.advanceTimersByTime(1_000);
  expect(told.slice(1)).toMatchObject([{ asks: false, people: [{ userId }] }]);
  hear({ instance: "there", asks: true, people: [] });
  expect(told).toHaveLength(3);
  vi.advanceTimersByTime(13_000);
  expect(told).toHaveLength(4);
  for (const one of windows) one.leave();
  people.close();
  expect(told.at(-1)).toMatchObject({ people: [] });
});
