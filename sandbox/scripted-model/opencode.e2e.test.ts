import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { failingTestRepository, startScriptedModel } from "./index.ts";
import type { ScriptedModel } from "./index.ts";
import { startOpenCode } from "./testing/opencode-server.ts";
import type { OpenCodeServer } from "./testing/opencode-server.ts";

const limit = 60_000;
const patience = { timeout: 30_000, interval: 100 };

const sessionSchema = z.object({ id: z.string() });
const toolSchema = z.object({
  type: z.literal("tool"),
  tool: z.string(),
  state: z.object({ status: z.string(), output: z.string().optional() }),
});
const partSchema = z.union([
  toolSchema,
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.string() }),
]);
const messageSchema = z.object({
  info: z.object({ role: z.string(), finish: z.string().optional() }),
  parts: z.array(partSchema),
});

describe("the scripted model under a real OpenCode", () => {
  let model: ScriptedModel;
  let openCode: OpenCodeServer;

  beforeAll(async () => {
    model = await startScriptedModel({ tokenDelayMs: 0 });
    openCode = await startOpenCode(model.url);
    for (const [name, text] of Object.entries(failingTestRepository)) {
      await writeFile(path.join(openCode.workspace, name), text);
    }
  }, limit);

  afterAll(async () => {
    await openCode[Symbol.asyncDispose]();
    await model.close();
  }, limit);

  async function newSession(): Promise<string> {
    return sessionSchema.parse(await openCode.call("POST", "/session", { title: "test" })).id;
  }

  const prompt = (text: string) => ({ parts: [{ type: "text", text }] });

  /** Runs a whole turn and returns its assistant parts, over all of its messages. */
  async function turn(text: string): Promise<z.infer<typeof partSchema>[]> {
    const session = await newSession();
    await openCode.call("POST", `/session/${session}/message`, prompt(text));
    const messages = z
      .array(messageSchema)
      .parse(await openCode.call("GET", `/session/${session}/message`));
    expect(messages.at(-1)?.info.finish).toBe("stop");
    return messages.filter(({ info }) => info.role === "assistant").flatMap(({ parts }) => parts);
  }

  it("streams the greeting", { timeout: limit }, async () => {
    const parts = await turn("Send me a greeting");
    expect(parts).toContainEqual({
      type: "text",
      text: expect.stringMatching(/^Hello.*today\?$/) as string,
    });
  });

  it(
    "runs the demo's tools: the file is edited and its test passes",
    { timeout: limit },
    async () => {
      const parts = await turn("Fix the failing test");
      const tools = parts.flatMap((part) => toolSchema.safeParse(part).data ?? []);
      expect(tools.map(({ tool, state }) => `${tool} ${state.status}`)).toEqual([
        "todowrite completed",
        "read completed",
        "edit completed",
        "todowrite completed",
        "bash completed",
        "bash completed",
      ]);
      expect(tools[4]?.state.output).toMatch(/pass 1\b/);
      expect(await readFile(path.join(openCode.workspace, "sum.mjs"), "utf8")).toContain("a + b");
      const text = parts.flatMap((part) => ("text" in part ? [part.text] : [])).at(-1);
      // What the release action answers depends on the sandbox; here its command line tool is missing.
      expect(text).toContain(tools[5]?.state.output?.trim());
    },
  );

  it("runs parallel tools", { timeout: limit }, async () => {
    const outputs = (await turn("Run in parallel")).flatMap(
      (part) => toolSchema.safeParse(part).data?.state.output ?? [],
    );
    expect(outputs).toEqual(["first\n", "second\n"]);
  });

  it("is retried after an overload", { timeout: limit }, async () => {
    const before = model.requests();
    const parts = await turn("Be overloaded once");
    expect(parts).toContainEqual({
      type: "text",
      text: expect.stringContaining("the second was answered") as string,
    });
    expect(model.requests() - before).toBe(2);
  });

  it("stops talking when the session is aborted", { timeout: limit }, async () => {
    const session = await newSession();
    await openCode.call("POST", `/session/${session}/prompt_async`, prompt("A slow answer"));
    await vi.waitFor(() => {
      expect(model.answering()).toBe(1);
    }, patience);
    await openCode.call("POST", `/session/${session}/abort`);
    await vi.waitFor(() => {
      expect(model.answering()).toBe(0);
    }, patience);
  });
});
