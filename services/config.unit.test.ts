import { expect, it } from "vitest";
import { readConfig } from "./config.ts";

it("names every setting that is wrong, also one that lacks another", () => {
  const read = (): unknown => readConfig({ PORT: "many", METRICS_TOKEN: "short" });
  expect(read).toThrow(/PORT: .*; METRICS_TOKEN: /);
  expect(() => readConfig({ METRICS_PORT: "9464" })).toThrow(
    "Wrong settings: METRICS_PORT: needs a METRICS_TOKEN.",
  );
  const settings = { METRICS_PORT: "9464", METRICS_TOKEN: "a-token-of-the-test" };
  expect(readConfig(settings)).toMatchObject({ METRICS_PORT: 9464 });
});
