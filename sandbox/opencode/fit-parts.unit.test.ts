import { expect, it } from "vitest";
import { maxCommitBytes, maxSealedCommitBytes } from "#contracts/commit";
import { messageOf } from "./message.ts";
import type { AssistantInfo, OpencodePart } from "./schemas.ts";

const info: AssistantInfo = {
  id: "msg_1",
  sessionID: "ses_1",
  role: "assistant",
  parentID: "msg_0",
  time: { created: 1, completed: 2 },
  cost: 0,
  tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
};
const place = { messageID: info.id, sessionID: info.sessionID };

const toolSaying = (output: string, index: number): OpencodePart => ({
  ...place,
  id: `prt_${index}`,
  type: "tool",
  callID: `call_${index}`,
  tool: "read",
  state: { status: "completed", input: { filePath: output }, output, metadata: { diff: output } },
});
const spoken = (text: string): OpencodePart => ({ ...place, id: "prt_z", type: "text", text });

const fits = (parts: readonly OpencodePart[]): boolean => {
  const bytes = Buffer.byteLength(JSON.stringify(messageOf(info, parts)));
  return bytes < 0.9 * maxCommitBytes && (bytes * 4) / 3 < 0.9 * maxSealedCommitBytes;
};

it("a message of few tools keeps what they have said, up to 30,000 characters of each text", () => {
  const [first, second] = messageOf(
    info,
    ["a".repeat(30_000), "b".repeat(30_001)].map(toolSaying),
  ).parts;
  expect(first).toMatchObject({ output: "a".repeat(30_000), truncated: false });
  expect(second).toMatchObject({ output: "b".repeat(30_000), truncated: true });
});

it.each([
  [
    "many tools at once",
    Array.from({ length: 40 }, (_, index) => toolSaying("x".repeat(30_000), index)),
  ],
  [
    "tools that print what is no ASCII",
    Array.from({ length: 8 }, (_, index) => toolSaying("语".repeat(30_000), index)),
  ],
  [
    "tools that print what JSON escapes",
    Array.from({ length: 8 }, (_, index) => toolSaying("\u0001".repeat(30_000), index)),
  ],
])("a message of %s fits into a commit, and what the agent has said stays whole", (_, tools) => {
  const words = "I have read them all. ".repeat(1_000);
  const parts = [...tools, spoken(words)];
  expect(fits(parts)).toBe(true);
  const kept = messageOf(info, parts).parts;
  expect(kept).toHaveLength(parts.length);
  expect(kept.at(-1)).toMatchObject({ text: words });
  expect(kept[0]).toMatchObject({
    truncated: true,
    output: expect.stringMatching(/^.{1000}/su) as unknown,
  });
});

it("an agent that talks on and on fits into a commit", () => {
  expect(fits([spoken("语".repeat(1_000_000))])).toBe(true);
});
