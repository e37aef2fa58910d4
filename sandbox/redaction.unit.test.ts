import { expect, test } from "vitest";
import { redact } from "./redaction.ts";

test.each([
  [
    "fatal: could not read https://user:pa55@git.example/x.git",
    "https://[redacted]@git.example/x.git",
  ],
  ["Authorization: Bearer abc.def.ghi", "Bearer [redacted]"],
  ["token sbx1.eyJzaWQi.c2ln was refused", "token [redacted] was refused"],
  ["invalid key sk-ant-api03-abcdefgh", "invalid key [redacted]"],
  ["my own value hunter2hunter2!", "my own value [redacted]!"],
])("%s", (text, expected) => {
  const clean = redact(text, ["hunter2hunter2", "a"]);
  expect(clean).toContain(expected);
  expect(clean).not.toMatch(/pa55|abc\.def|eyJzaWQi|api03|hunter2/);
});
