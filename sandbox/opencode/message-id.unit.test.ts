import fc from "fast-check";
import { expect, test } from "vitest";
import { newId } from "#contracts/ids";
import { isMessageOfPrompt, promptMessageId } from "./message-id.ts";
import { readRecording, recordingNames } from "./testing/recordings.ts";

const promptId = newId("prompt");

test("a prompt sorts right after what is there, before anything that OpenCode adds later", () => {
  for (const name of recordingNames) {
    const ids = readRecording(name).messages.map(({ info }) => info.id);
    ids.forEach((messageId, index) => {
      const own = promptMessageId(promptId, { messageId });
      expect(own > messageId).toBe(true);
      const next = ids[index + 1];
      if (next !== undefined) expect(own < next).toBe(true);
    });
  }
});

test("the first prompt of a conversation sorts by the agent's own clock", () => {
  const [first] = readRecording("text").messages;
  const createdMs = first?.info.time.created ?? 0;
  const own = promptMessageId(promptId, { createdMs: createdMs - 1 });
  expect(own.slice(0, 12)).toBe(
    promptMessageId(promptId, { createdMs: createdMs - 1 }).slice(0, 12),
  );
  expect(own < (first?.info.id ?? "")).toBe(true);
  expect(own).toMatch(/^msg_[0-9a-f]{26}$/);
});

test("a prompt is recognised by its id wherever it stands, another one is not", () => {
  fc.assert(
    fc.property(fc.nat(2 ** 41), (createdMs) => {
      const id = promptMessageId(promptId, { createdMs });
      expect(isMessageOfPrompt(id, promptId)).toBe(true);
      expect(isMessageOfPrompt(id, newId("prompt"))).toBe(false);
    }),
  );
});
