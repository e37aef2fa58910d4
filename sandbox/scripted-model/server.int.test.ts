import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startScriptedModel } from "./index.ts";
import type { ScriptedModel } from "./index.ts";
import { assembleAnswer, eventsOf, postMessages, rawAnswer } from "./testing/messages-client.ts";
import type { AssembledBlock, MessagesEvent } from "./testing/messages-client.ts";

const patience = { timeout: 30_000 };
const says = (text: string) => ({ role: "user" as const, content: text });

let model: ScriptedModel;
beforeEach(async () => {
  model = await startScriptedModel({ tokenDelayMs: 0 });
});
afterEach(async () => {
  await model.close();
});

function idle(): Promise<void> {
  return vi.waitFor(() => {
    expect(model.answering()).toBe(0);
  }, patience);
}

describe("answers", () => {
  it("streams a text in word tokens", async () => {
    const response = await postMessages(model.url, [says("a greeting, please")]);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const deltas: MessagesEvent[] = [];
    for await (const event of eventsOf(response))
      if (event.type === "content_block_delta") deltas.push(event);
    expect(deltas.length).toBeGreaterThan(40);

    const { blocks, stopReason } = await assembleAnswer(
      await postMessages(model.url, [says("a greeting, please")]),
    );
    expect(blocks).toEqual([
      { type: "text", text: expect.stringMatching(/^Hello.*today\?$/) as string },
    ]);
    expect(stopReason).toBe("end_turn");
    expect(model.requests()).toBe(2);
  });

  it("walks the demo's turn from the tool results that it is sent", async () => {
    const messages: { role: "user" | "assistant"; content: unknown }[] = [
      says("Fix the failing test"),
    ];
    const tools: string[] = [];
    for (;;) {
      const { blocks, stopReason } = await assembleAnswer(await postMessages(model.url, messages));
      const calls = blocks.filter((block) => block.type === "tool_use");
      if (stopReason === "end_turn") {
        expect(calls).toEqual([]);
        expect(textOf(blocks)).toContain("result of bash 6");
        break;
      }
      tools.push(...calls.map((call) => call.name));
      const results = calls.map((call) => ({
        type: "tool_result",
        tool_use_id: call.id,
        content: `result of ${call.name} ${String(tools.length)}`,
      }));
      messages.push({ role: "assistant", content: calls }, { role: "user", content: results });
    }
    expect(tools).toEqual(["todowrite", "read", "edit", "todowrite", "bash", "bash"]);
  });

  it("asks for two tools at once", async () => {
    const { blocks, stopReason } = await assembleAnswer(
      await postMessages(model.url, [says("in parallel")]),
    );
    const calls = blocks.filter((block) => block.type === "tool_use");
    expect(stopReason).toBe("tool_use");
    expect(calls.map((call) => call.input)).toEqual([
      { command: "echo first" },
      { command: "echo second" },
    ]);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  });

  it("gives a short title, and no scenario, to a request without tools", async () => {
    const response = await postMessages(
      model.url,
      [says("fix the failing test in this very long prompt")],
      { tools: [] },
    );
    expect(await assembleAnswer(response)).toEqual({
      blocks: [{ type: "text", text: "fix the failing test in this" }],
      stopReason: "end_turn",
    });
  });
});

describe("faults", () => {
  it("is overloaded once for each conversation", async () => {
    const ask = (session: string) =>
      postMessages(model.url, [says("overloaded once")], { session });
    for (const session of ["ses_a", "ses_b"]) {
      const refused = await ask(session);
      expect(refused.status).toBe(529);
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(await refused.json()).toEqual({
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
      });
      expect((await assembleAnswer(await ask(session))).stopReason).toBe("end_turn");
    }
  });

  it("stays overloaded without saying until when", async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const refused = await postMessages(model.url, [says("overloaded")]);
      expect(refused.status).toBe(529);
      expect(refused.headers.has("retry-after")).toBe(false);
      await refused.body?.cancel();
    }
  });

  it("breaks the first connection after the tokens it promised, and completes the second", async () => {
    const received = await rawAnswer(model.url, [says("drop once")]);
    expect(received.match(/^event: content_block_delta$/gm)).toHaveLength(5);
    expect(received).not.toContain("message_stop");
    expect(received.endsWith("0\r\n\r\n"), "an orderly end of the body").toBe(false);

    const { blocks } = await assembleAnswer(await postMessages(model.url, [says("drop once")]));
    expect(textOf(blocks)).toContain("complete");
  });

  it.each(["a slow answer", "hang"])("stops when the client leaves: %s", async (prompt) => {
    const leave = new AbortController();
    const response = await postMessages(model.url, [says(prompt)], { signal: leave.signal });
    expect((await eventsOf(response).next()).value).toMatchObject({ type: "message_start" });
    expect(model.answering()).toBe(1);
    leave.abort();
    await idle();
  });

  it("survives a client that leaves in the middle of its request", async () => {
    const socket = connect(Number(new URL(model.url).port), "127.0.0.1");
    socket.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{");
    await vi.waitFor(() => {
      expect(model.answering()).toBe(1);
    }, patience);
    socket.destroy();
    await idle();
    expect(
      (await assembleAnswer(await postMessages(model.url, [says("greeting")]))).stopReason,
    ).toBe("end_turn");
  });

  it("ends running answers when it closes, also when it is closed twice", async () => {
    const response = await postMessages(model.url, [says("hang")]);
    const read = response.text();
    await Promise.all([model.close(), model.close(), expect(read).rejects.toThrow()]);
    await idle();
    await expect(postMessages(model.url, [says("greeting")])).rejects.toThrow();
  });
});

describe("what it refuses", () => {
  it.each([
    ["text that is not JSON", "{"],
    ["a request that does not stream", JSON.stringify({ model: "m", messages: [says("a")] })],
    ["no messages", JSON.stringify({ model: "m", stream: true, messages: [] })],
  ])("%s", async (_, body) => {
    const response = await fetch(`${model.url}/messages`, { method: "POST", body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error" },
    });
  });

  it("other paths", async () => {
    const response = await fetch(`${model.url}/models`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { type: "not_found_error" } });
  });

  it("broken scenarios, and a port that it cannot have", async () => {
    const broken = startScriptedModel({
      scenarios: [{ name: "empty", select: { by: "default" }, steps: [] }],
    });
    await expect(broken).rejects.toMatchObject({ code: "configuration_invalid" });
    const taken = startScriptedModel({ port: Number(new URL(model.url).port) });
    await expect(taken).rejects.toMatchObject({ code: "configuration_invalid" });
    const outOfRange = startScriptedModel({ port: 65_536 });
    await expect(outOfRange).rejects.toMatchObject({ code: "configuration_invalid" });
  });
});

function textOf(blocks: readonly AssembledBlock[]): string {
  return blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
}
