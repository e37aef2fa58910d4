/** Tool files as a sandbox gets them, loaded by Node and called against a server that loses connections. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { findTool } from "#contracts/tools/registry";
import { toolFiles } from "./tool-files.ts";
import type { ToolModule } from "./tool-module.ts";

type Reply = "drop" | { readonly status: number; readonly body: unknown };

let folder: string;
let server: Server;
let requests: { readonly url: string; readonly authorization: string; readonly body: unknown }[];
let replies: Reply[];

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "proliferate-tools-"));
  requests = [];
  server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      requests.push({
        url: request.url ?? "",
        authorization: request.headers.authorization ?? "",
        body,
      });
      const reply = replies.shift() ?? "drop";
      if (reply === "drop") {
        request.socket.destroy();
        return;
      }
      response.writeHead(reply.status, { "content-type": "application/json" });
      response.end(JSON.stringify(reply.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("PROLIFERATE_GATEWAY_URL", `http://127.0.0.1:${port}/`);
  vi.stubEnv("PROLIFERATE_SESSION_ID", "ses_1");
  vi.stubEnv("PROLIFERATE_SANDBOX_TOKEN", "sbx1.a.b");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

/** Node takes the file as JavaScript: nothing in it is TypeScript's own. */
const load = async (name: string): Promise<ToolModule> => {
  const files = await toolFiles("setup");
  const file = files.find((each) => each.name === `${name}.ts`);
  if (!file) throw new Error(`There is no file for ${name}.`);
  expect(file.content).not.toMatch(/^\s*import\b|\brequire\(/m);
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, file.content);
  return ((await import(/* @vite-ignore */ pathToFileURL(path).href)) as { default: ToolModule })
    .default;
};

const context = { callID: "toolu_1", messageID: "msg_1" };

it("asks again with the same id while connections break and gateways are away", async () => {
  replies = [
    "drop",
    { status: 503, body: { code: "tool_call_running", detail: "Still at it." } },
    { status: 200, body: { success: true, result: "Saved.", data: { snapshotId: "snap-1" } } },
  ];
  const tool = await load("save_snapshot");
  const answer = await tool.execute({ message: "all green" }, context);
  expect(answer).toEqual({
    title: "save_snapshot",
    output: "Saved.",
    metadata: { snapshotId: "snap-1" },
  });
  const body = {
    tool_call_id: "msg_1:toolu_1",
    args: { message: "all green" },
    tool_schema_version: findTool("save_snapshot")?.toolSchemaVersion,
  };
  const request = {
    url: "/proliferate/ses_1/tools/save_snapshot",
    authorization: "Bearer sbx1.a.b",
    body,
  };
  expect(requests).toEqual([request, request, request]);
});

it("tells the agent what was refused, and does not ask again", async () => {
  replies = [{ status: 422, body: { code: "tool_args_invalid", detail: "commands is missing." } }];
  const tool = await load("save_service_commands");
  await expect(tool.execute({}, context)).rejects.toThrow(
    "commands is missing. (tool_args_invalid)",
  );
  expect(requests).toHaveLength(1);
});

it("fails where the gateway says that the tool has failed", async () => {
  replies = [{ status: 200, body: { success: false, result: "No snapshot: the disk is full." } }];
  const tool = await load("save_snapshot");
  await expect(tool.execute({}, context)).rejects.toThrow("the disk is full");
});

it("stops asking when the turn is aborted", async () => {
  replies = ["drop"];
  const tool = await load("save_snapshot");
  const turn = new AbortController();
  const call = tool.execute({}, { ...context, abort: turn.signal });
  await vi.waitUntil(() => requests.length === 1, { timeout: 30_000 });
  turn.abort();
  await expect(call).rejects.toThrow(/abort/i);
});

it("describes its arguments as the gateway checks them, and says which may be left out", async () => {
  const { args } = await load("save_service_commands");
  expect(args["commands"]).toMatchObject({
    type: "array",
    minItems: 1,
    maxItems: 10,
    items: { type: "object", required: ["name", "command"] },
  });
  const snapshot = await load("save_snapshot");
  expect(snapshot.args["message"]).toMatchObject({
    type: "string",
    description: expect.stringMatching(/^Optional\. /) as unknown,
  });
});

it("gives each kind of session its own tools", async () => {
  const names = async (kind: "coding" | "setup" | "automation") =>
    (await toolFiles(kind)).map(({ name }) => name).filter((name) => name.endsWith(".ts"));
  const shared = ["save_snapshot.ts", "request_env_variables.ts"];
  expect((await names("coding")).sort()).toEqual([...shared].sort());
  expect((await names("setup")).sort()).toEqual([...shared, "save_service_commands.ts"].sort());
  expect((await names("automation")).sort()).toEqual([...shared, "automation_complete.ts"].sort());
});
