import { expect, test } from "vitest";
import { redact } from "./redaction.ts";

test.each([
  [
    "fatal: could not read https://user:pa55@git.example/x.git",
    "https://[redacted]@git.example/x.git",
  ],
  ["Authorization: Bearer abc.def.ghi", "Bearer [redacted]"],
  ["token sbx1.eyJzaWQi.c2ln was refused", "token [redacted] was refused"],
  ["token svc1.eyJzaWQi.c2ln was refused", "token [redacted] was refused"],
  ["-----BEGIN PRIVATE KEY-----\neyJzaWQi\n-----END PRIVATE KEY-----\nok", "[redacted]\nok"],
  ["-----BEGIN EC PRIVATE KEY-----\neyJzaWQi", "[redacted]"],
  [
    "sntrys_eyJzaWQi= of lin_api_api03api03 and phx_api03api03",
    "[redacted] of [redacted] and [redacted]",
  ],
  ["invalid key sk-ant-api03-abcdefgh", "invalid key [redacted]"],
  ["my own value hunter2hunter2!", "my own value [redacted]!"],
])("%s", (text, expected) => {
  const clean = redact(text, ["hunter2hunter2", "a"]);
  expect(clean).toContain(expected);
  expect(clean).not.toMatch(/pa55|abc\.def|eyJzaWQi|api03|hunter2/);
});
