import { expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { createRecentProofs } from "./recent-proofs.ts";

const key = { organization: newId("organization"), vendor: "sentry" } as const;
const credentials = { token: "first", baseUrl: null };

/** Proofs by a clock that the test moves, which count how often somebody was really asked. */
const setUp = (outcomes: readonly ("good" | "bad")[]) => {
  let now = 0;
  let asked = 0;
  const proofs = createRecentProofs(() => now, 2);
  const prove = (): Promise<void> => {
    const outcome = outcomes[asked % outcomes.length];
    asked += 1;
    return outcome === "good" ? Promise.resolve() : Promise.reject(new Error("No."));
  };
  return {
    check: (given = credentials, of: Parameters<typeof proofs.of>[0] = key) =>
      proofs.of(of, given, prove).then(
        () => "good",
        () => "bad",
      ),
    pass: (ms: number) => {
      now += ms;
    },
    asked: () => asked,
  };
};

it("believes good news for a minute, and whoever asks at the same time hears the same", async () => {
  const { check, pass, asked } = setUp(["good"]);
  expect(await Promise.all([check(), check()])).toEqual(["good", "good"]);
  pass(59_999);
  expect(await check()).toBe("good");
  expect(asked()).toBe(1);
  pass(1);
  expect(await check()).toBe("good");
  expect(asked()).toBe(2);
});

it("believes bad news for ten seconds only", async () => {
  const { check, pass, asked } = setUp(["bad", "good"]);
  expect([await check(), await check()]).toEqual(["bad", "bad"]);
  pass(10_000);
  expect(await check()).toBe("good");
  expect(asked()).toBe(2);
});

it("knows nothing of other credentials, addresses, vendors and organisations", async () => {
  const { check, asked } = setUp(["good"]);
  await check();
  await check({ ...credentials, token: "second" });
  await check({ ...credentials, baseUrl: null, token: "first " });
  await check(credentials, { ...key, vendor: "slack" });
  await check(credentials, { ...key, organization: newId("organization") });
  expect(asked()).toBe(5);
});

it("forgets those that were begun first when there are too many", async () => {
  const { check, asked } = setUp(["good"]);
  for (const token of ["1", "2", "3", "3", "2"]) await check({ ...credentials, token });
  expect(asked()).toBe(3);
  await check({ ...credentials, token: "1" });
  expect(asked()).toBe(4);
});
