import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ActionSource } from "../../actions/sources/source.ts";
import { type EverythingServer, startEverythingServer } from "../testing/everything-server.ts";
import { openTestMcp, type TestMcp } from "../testing/mcp-source.ts";
import { contextOf } from "../testing/vendor-call.ts";

const transports = ["streamableHttp", "sse"] as const;

describe.each(transports)("the protocol's reference server over %s", (transport) => {
  let server: EverythingServer;
  let mcp: TestMcp;
  let source: ActionSource;

  beforeAll(async () => {
    server = await startEverythingServer(transport);
    mcp = openTestMcp();
    source = mcp.source(server.url);
  });
  afterAll(async () => {
    await mcp.close();
    await server.close();
  });

  it("offers its tools as actions, and none is left out", async () => {
    const actions = await source.list();
    expect(actions.map(({ id }) => id)).toEqual(expect.arrayContaining(["echo", "get-sum"]));
    expect(actions.find(({ id }) => id === "echo")?.params).toMatchObject({
      type: "object",
      required: ["message"],
    });
    expect(await source.leftOut?.()).toEqual([]);
    expect(await source.guide()).toContain("## echo (");
  });

  it("answers text, structured content, and content of other kinds", async () => {
    const run = (action: string, params: Record<string, unknown>) =>
      source.execute(action, params, contextOf());
    expect(await run("echo", { message: "grüße" })).toContain("grüße");
    expect(await run("get-structured-content", { location: "Chicago" })).toMatchObject({
      temperature: expect.any(Number) as number,
    });
    expect(await run("get-tiny-image", {})).toContainEqual(
      expect.objectContaining({ type: "image", mimeType: "image/png" }),
    );
  });

  it("is certain of what it refuses", async () => {
    for (const [action, params] of [
      ["no-such-tool", {}],
      ["get-sum", { a: "one" }],
    ] as const) {
      await expect(source.execute(action, params, contextOf())).rejects.toMatchObject({
        code: "action_failed",
      });
    }
  });

  it("is left in the middle of a call that nobody waits for any more", async () => {
    const nobody = new AbortController();
    const running = source.execute(
      "trigger-long-running-operation",
      { duration: 3600, steps: 1 },
      contextOf(nobody.signal),
    );
    nobody.abort(new Error("It took too long."));
    await expect(running).rejects.toThrow();
  });
});
