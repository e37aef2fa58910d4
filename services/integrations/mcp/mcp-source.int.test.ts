import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ActionSource } from "../../actions/sources/source.ts";
import { type DemoMcpServer, startDemoMcpServer } from "../demo/demo-mcp-server.ts";
import { openTestMcp } from "../testing/mcp-source.ts";
import { contextOf } from "../testing/vendor-call.ts";
import { riskOf } from "./tool-definition.ts";

let demo: DemoMcpServer;
let source: ActionSource;

const mcp = openTestMcp();
const sourceAt = (url: string): ActionSource => mcp.source(url);
const context = contextOf;

beforeAll(async () => {
  demo = await startDemoMcpServer();
  source = sourceAt(demo.url);
});
afterAll(async () => {
  await mcp.close();
  await demo.close();
});

describe("an MCP server as a source of actions", () => {
  it("offers its tools with the risks that their annotations say", async () => {
    const actions = await source.list();
    expect(actions.map(({ id, risk }) => [id, risk])).toEqual([
      ["list_releases", "read"],
      ["publish_release", "write"],
      ["delete_everything", "danger"],
    ]);
    expect(actions[1]?.params).toMatchObject({ type: "object", required: ["version"] });
    expect(riskOf(undefined)).toBe("write");
    expect(riskOf({ readOnlyHint: true, destructiveHint: true })).toBe("danger");
  });

  it("does what it is asked", async () => {
    expect(await source.execute("publish_release", { version: "3.0.0" }, context())).toMatchObject({
      version: "3.0.0",
    });
    expect(await source.execute("list_releases", {}, context())).toMatchObject({
      releases: [{ version: "3.0.0" }],
    });
    expect(demo.releases).toHaveLength(1);
  });

  it("is certain of what the tool refuses", async () => {
    await expect(
      source.execute("publish_release", { version: "3.0.0" }, context()),
    ).rejects.toMatchObject({
      code: "action_failed",
      message: "3.0.0 is published already.",
    });
    await expect(
      source.execute("publish_release", { version: "x" }, context()),
    ).rejects.toMatchObject({
      code: "action_failed",
    });
    await expect(source.execute("no_such_tool", {}, context())).rejects.toMatchObject({
      code: "action_failed",
    });
  });

  it("is certain that nothing happened when the server is not there", async () => {
    const gone = await startDemoMcpServer();
    await gone.close();
    const absent = sourceAt(gone.url);
    await expect(absent.list()).rejects.toMatchObject({ code: "integration_unreachable" });
    await expect(absent.execute("list_releases", {}, context())).rejects.toMatchObject({
      code: "integration_unreachable",
    });
  });

  it("is not certain when the connection breaks during the call", async () => {
    // Stands in front of the real server and breaks off where the tool is called.
    const proxy = createServer((request, response) => {
      void (async () => {
        let body = "";
        for await (const chunk of request) body += String(chunk);
        if (body.includes('"tools/call"')) {
          response.destroy();
          return;
        }
        const answer = await fetch(demo.url, {
          method: request.method ?? "POST",
          headers: { "content-type": "application/json", accept: String(request.headers.accept) },
          ...(body !== "" && { body }),
        });
        response.writeHead(answer.status, {
          "content-type": answer.headers.get("content-type") ?? "text/plain",
        });
        response.end(await answer.text());
      })();
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    try {
      const { port } = proxy.address() as AddressInfo;
      const error: unknown = await sourceAt(`http://127.0.0.1:${port}/mcp`)
        .execute("list_releases", {}, context())
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toHaveProperty("fields");
    } finally {
      proxy.close();
      proxy.closeAllConnections();
    }
  });

  it("only answers those who mean this machine", async () => {
    const { port, pathname } = new URL(demo.url);
    // fetch does not let anybody set this header
    const { request } = await import("node:http");
    const sent = request({
      host: "127.0.0.1",
      port,
      path: pathname,
      method: "POST",
      headers: { host: "evil.example" },
    });
    sent.end();
    const [response] = (await once(sent, "response")) as [
      { statusCode: number; resume: () => void },
    ];
    response.resume();
    expect(response.statusCode).toBe(403);
  });
});
