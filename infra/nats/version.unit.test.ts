import { expect, it } from "vitest";
import { isRecentEnough, parseNatsVersion } from "./version.ts";

it.each([
  ["2.14.4", true],
  ["2.14.10", true],
  ["2.15.0", true],
  ["3.0.0", true],
  ["2.14.3", false],
  ["2.9.10", false],
  ["1.99.99", false],
  ["2.14.4-RC.1", false],
  ["2.15.0-preview.2", true],
])("%s is recent enough: %s", (version, expected) => {
  expect(isRecentEnough(version, "2.14.4")).toBe(expected);
});

it.each([
  ["nats-server: v2.15.1\n", "2.15.1"],
  ["nats-server: v2.15.0-RC.3", "2.15.0-RC.3"],
  ["nats-streaming-server version 0.25.6", undefined],
  ["", undefined],
])("reads the version out of %j", (output, expected) => {
  expect(parseNatsVersion(output)).toBe(expected);
});
