import { expect, it } from "vitest";
import type { Message } from "#contracts/transcript/message";
import { mergeTranscript } from "./merge-transcript.ts";

const message = (id: string, text: string): Message => ({
  id,
  role: "assistant",
  promptId: null,
  parts: [{ kind: "text", id: "p", text }],
  finish: "stop",
  failure: null,
  usage: null,
  cost: null,
  filesChanged: null,
});
const then = "2030-01-01T00:00:00.000Z";
const now = "2030-01-01T00:00:05.000Z";

it("adds what the read model does not have yet and takes the newest of what both have", () => {
  const transcript = [
    { ...message("a", "first"), index: 0, at: then },
    { ...message("b", "half"), index: 1, at: then },
  ];
  const sent = [message("b", "whole"), message("c", "draft"), message("c", "done")];
  expect(mergeTranscript(transcript, sent, now)).toEqual([
    { ...message("a", "first"), index: 0, at: then },
    { ...message("b", "whole"), index: 1, at: then },
    { ...message("c", "done"), index: 2, at: now },
  ]);
  expect(mergeTranscript([], [message("a", "first")], now)).toEqual([
    { ...message("a", "first"), index: 0, at: now },
  ]);
});
