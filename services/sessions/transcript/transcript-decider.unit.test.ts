import { describe, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import type { Author } from "#contracts/transcript/author";
import type { Message } from "#contracts/transcript/message";
import { deciderSpec } from "../../testing/decider-spec.ts";
import { transcriptDecider } from "./transcript-decider.ts";

const { given } = deciderSpec(transcriptDecider);

const message = (id: string, text: string): Message => ({
  id,
  role: "assistant",
  promptId: null,
  parts: [{ kind: "text", id: "part", text }],
  finish: "stop",
  failure: null,
  usage: null,
  cost: null,
  filesChanged: null,
});
const record = (epoch: number, recorded: Message, author: Author | null = null) =>
  ({ type: "RecordMessage", epoch, message: recorded, author }) as const;
const recorded = (epoch: number, of: Message, author: Author | null = null) =>
  ({ type: "MessageRecorded", data: { epoch, message: of, author } }) as const;

describe("a transcript", () => {
  it("records a message once, and again only when it says something else", () => {
    const hello = message("m1", "Hello");
    given().when(record(3, hello)).then(recorded(3, hello));
    given(recorded(3, hello)).when(record(3, hello)).then();
    given(recorded(3, hello)).when(record(4, hello)).then();
    const longer = message("m1", "Hello again");
    given(recorded(3, hello)).when(record(3, longer)).then(recorded(3, longer));
    given(recorded(3, hello), recorded(3, longer)).when(record(3, longer)).then();
  });

  it("knows the same content in whatever order its fields came", () => {
    const { id, ...rest } = message("m1", "Hello");
    given(recorded(3, message("m1", "Hello")))
      .when(record(3, { ...rest, id }))
      .then();
  });

  it("takes down who asked, also of what a former version has recorded", () => {
    const question: Message = { ...message("prm_1", "Why?"), role: "user" };
    const author = { kind: "user", userId: newId("user") } as const;
    const other = { kind: "user", userId: newId("user") } as const;
    given(recorded(3, question))
      .when(record(4, question, author))
      .then(recorded(4, question, author));
    given(recorded(3, question, author))
      .when(record(4, question, author))
      .then();
    given(recorded(3, question, author))
      .when(record(4, question, other))
      .then(recorded(4, question, other));
  });

  it("takes nothing from an owner that was replaced", () => {
    given(recorded(3, message("m1", "Hello")))
      .when(record(2, message("m2", "Late")))
      .thenRejects("stale_owner");
  });

  it("takes nothing from an owner whose successor has claimed it", () => {
    const claim = (epoch: number) => ({ type: "ClaimTranscript", epoch }) as const;
    const claimed = (epoch: number) => ({ type: "TranscriptClaimed", data: { epoch } }) as const;
    given(recorded(3, message("m1", "Hello")))
      .when(claim(4))
      .then(claimed(4));
    given(claimed(4)).when(claim(4)).then();
    given(claimed(4)).when(claim(3)).thenRejects("stale_owner");
    given(claimed(4))
      .when(record(3, message("m2", "Late")))
      .thenRejects("stale_owner");
  });

  it("is not confused by ids that mean something to JavaScript", () => {
    const odd = message("__proto__", "Hello");
    given()
      .when(record(1, message("constructor", "x")))
      .then(recorded(1, message("constructor", "x")));
    given(recorded(1, odd)).when(record(1, odd)).then();
    expect(given(recorded(1, odd)).state().epoch).toBe(1);
  });
});
