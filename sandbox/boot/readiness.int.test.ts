import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { Program } from "./machine.ts";
import { waitUntilReady } from "./readiness.ts";

const open = new Set<() => void>();
afterEach(() => {
  for (const close of open) close();
  open.clear();
});

const serve = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Stands in for a program: it only has to run, or not. */
const program = (isRunning: boolean): Program =>
  ({
    running: () => Promise.resolve(isRunning),
    logTail: () => Promise.resolve("its last words"),
  }) as Partial<Program> as Program;

const probe = (baseUrl: string, isRunning = true) => ({
  baseUrl,
  authorization: "Basic x",
  program: program(isRunning),
  signal: new AbortController().signal,
});

it("is not held up by a question that is never answered", async () => {
  let unanswered: IncomingMessage | null = null;
  let wasOpen = false;
  const baseUrl = await serve((request, response) => {
    if (unanswered === null) {
      unanswered = request;
      return;
    }
    wasOpen ||= !unanswered.socket.destroyed;
    response.setHeader("content-type", "application/json").end('{"healthy":true}');
  });
  await waitUntilReady(probe(baseUrl));
  expect(wasOpen).toBe(true);
});

it("says what a server that ended had to say", async () => {
  const baseUrl = await serve((_request, response) => void response.writeHead(503).end());
  await expect(waitUntilReady(probe(baseUrl, false))).rejects.toMatchObject({
    code: "sandbox_unavailable",
    message: expect.stringContaining("its last words") as string,
  });
});

it("gives up when it is called off", async () => {
  const baseUrl = await serve(() => undefined);
  const reason = new Error("called off");
  const signal = AbortSignal.abort(reason);
  await expect(waitUntilReady({ ...probe(baseUrl), signal })).rejects.toBe(reason);
});
