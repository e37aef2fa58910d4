import { describe, expect, it } from "vitest";
import { messagesRequestSchema, readConversation } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import { fillTemplate } from "./template.ts";

interface Message {
  role: "user" | "assistant";
  content: unknown;
}

function read(messages: Message[], rest: object = {}): Conversation {
  return readConversation(
    messagesRequestSchema.parse({ model: "m", stream: true, messages, ...rest }),
  );
}

const says = (...texts: string[]): Message => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});
const calls: Message = {
  role: "assistant",
  content: [{ type: "tool_use", id: "toolu_1", name: "bash", input: { command: "true" } }],
};
const result = (content: unknown) => ({ type: "tool_result", tool_use_id: "toolu_1", content });

describe("reading a conversation", () => {
  it("counts only what came after the newest prompt", () => {
    const conversation = read([
      says("an earlier prompt"),
      calls,
      { role: "user", content: [result("earlier result")] },
      { role: "assistant", content: "earlier answer" },
      says("the newest prompt"),
      calls,
      {
        role: "user",
        content: [result("one"), result([{ type: "text", text: "two" }, { type: "image" }])],
      },
      calls,
      { role: "user", content: [result("three")] },
    ]);
    expect(conversation).toMatchObject({
      prompt: "the newest prompt",
      answersGiven: 2,
      toolResults: ["one", "two", "three"],
    });
  });

  it("starts anew at a prompt that was queued while a tool was running", () => {
    const queued = { type: "text", text: "the queued prompt" };
    const conversation = read([
      says("first"),
      calls,
      { role: "user", content: [result("one"), queued] },
    ]);
    expect(conversation).toMatchObject({
      prompt: "the queued prompt",
      answersGiven: 0,
      toolResults: [],
    });
  });

  it("takes the last text where an aborted turn left two prompts in one message", () => {
    expect(read([says("aborted", "current")]).prompt).toBe("current");
  });

  it("passes over the agent's own reminders", () => {
    const reminder = "<system-reminder>Plan mode is on.</system-reminder>";
    const conversation = read([
      says("the prompt"),
      calls,
      { role: "user", content: [result("one"), { type: "text", text: reminder }] },
    ]);
    expect(conversation).toMatchObject({
      prompt: "the prompt",
      answersGiven: 1,
      toolResults: ["one"],
    });
  });

  it("finds the working directory in the system prompt", () => {
    const system = [
      {
        type: "text",
        text: "<env>\n  Working directory: /home/user/my repo\n  Platform: linux\n</env>",
      },
    ];
    expect(read([says("a")], { system }).workingDirectory).toBe("/home/user/my repo");
    expect(read([says("a")]).workingDirectory).toBe(".");
  });
});

describe("filling a template", () => {
  const conversation = read([
    says("say {{lastToolResult}}"),
    calls,
    { role: "user", content: [result("secret")] },
  ]);

  it("fills strings at any depth, and does not expand what it inserts", () => {
    const step = {
      text: "{{prompt}} / {{lastToolResult}} / {{unknown}}",
      list: [{ path: "{{workingDirectory}}/a" }],
      n: 1,
    };
    expect(fillTemplate(step, conversation)).toEqual({
      text: "say {{lastToolResult}} / secret / {{unknown}}",
      list: [{ path: "./a" }],
      n: 1,
    });
  });

  it("cuts long values", () => {
    const long = read([says("x".repeat(100_000))]);
    expect(fillTemplate("{{prompt}}", long)).toBe(`${"x".repeat(2_000)}…`);
  });
});
