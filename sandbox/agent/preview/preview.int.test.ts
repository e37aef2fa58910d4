/** The preview through a real Caddy. */
import { createServer, type Server } from "node:http";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import getPort from "get-port";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { findCaddy } from "#infra/caddy/find-caddy";
import { startSidecarHarness, testToken, type SidecarHarness } from "../testing/sidecar-harness.ts";

const patience = { timeout: 30_000, interval: 50 };

const caddy = await findCaddy({ env: process.env }).catch((error: unknown) => {
  process.stderr.write(`The preview is not tested: ${String(error)}\n`);
  return null;
});

/** Below the ports that Linux gives to whoever asks for any, so that nobody takes it meanwhile. */
const quietPort = (): Promise<number> =>
  getPort({ port: Array.from({ length: 20 }, () => randomInt(20_000, 32_000)) });

let sidecar: SidecarHarness;
let previewPort: number;
let fallbackPorts: [number, number];
const applications: Server[] = [];

const application = async (name: string, port = 0): Promise<number> => {
  const server = createServer((request, response) => response.end(`${name} ${request.url}`));
  applications.push(server);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

const preview = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`http://127.0.0.1:${previewPort}${path}`, { headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

const shows = (path: string, expected: string): Promise<void> =>
  vi.waitFor(async () => expect((await preview(path)).text).toBe(expected), patience);

const expose = async (port: number | null) =>
  sidecar.call({ method: "POST", path: "/api/expose", body: JSON.stringify({ port }) });

describe.skipIf(caddy === null)("the preview", () => {
  beforeEach(async () => {
    const ports = [await quietPort(), await quietPort(), await quietPort()] as const;
    previewPort = ports[0];
    fallbackPorts = [ports[1], ports[2]];
    sidecar = await startSidecarHarness(
      { preview: { caddy: caddy ?? "", port: previewPort, fallbackPorts } },
      { searchPath: "/nowhere" },
    );
    await vi.waitFor(async () => expect((await preview("/")).status).toBe(502), patience);
  });
  afterEach(async () => {
    await sidecar.close();
    for (const server of applications.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  test("says kindly that nothing listens, and shows the first of the usual ports that does", async () => {
    const nothing = await preview("/some/page");
    expect(nothing.status).toBe(502);
    expect(nothing.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(nothing.text).toContain("Nothing to show yet");
    await application("second", fallbackPorts[1]);
    await shows("/a?b=c", "second /a?b=c");
    await application("first", fallbackPorts[0]);
    await shows("/", "first /");
  });

  test("shows the exposed port, across restarts of the sidecar and of Caddy", async () => {
    await application("usual", fallbackPorts[0]);
    await shows("/", "usual /");
    const port = await application("exposed");
    expect((await expose(port)).json()).toEqual({ port, applied: true });
    await shows("/", "exposed /");
    await sidecar.restart();
    const services = (await sidecar.call({ path: "/api/services" })).json() as {
      services: { pid: number }[];
      exposedPort: number;
    };
    expect(services.exposedPort).toBe(port);
    process.kill(services.services[0]?.pid ?? 0, "SIGKILL");
    await vi.waitFor(async () => {
      const pid = ((await sidecar.call({ path: "/api/services" })).json() as typeof services)
        .services[0]?.pid;
      expect([null, services.services[0]?.pid]).not.toContain(pid);
      expect((await preview("/")).text).toBe("exposed /");
    }, patience);
    expect((await expose(null)).json()).toEqual({ port: null, applied: true });
    await shows("/", "usual /");
  });

  test("does not expose the sandbox's own ports", async () => {
    for (const port of [previewPort, sidecar.port()]) {
      expect((await expose(port)).problem().code).toBe("request_invalid");
    }
  });

  test("leads to the sidecar, which asks for its token, and keeps its own paths to itself", async () => {
    await application("application", fallbackPorts[0]);
    await shows("/", "application /");
    expect((await preview("/_proliferate/mcp/api/health")).text).toBe('{"status":"ok"}');
    expect((await preview("/_proliferate/mcp/api/services")).status).toBe(401);
    const authorization = `Bearer ${testToken}`;
    const services = await preview("/_proliferate/mcp/api/services", { authorization });
    expect(services.status).toBe(200);
    expect((await preview("/_proliferate/vscode/")).status).toBe(401);
    // The editor's answer, which is behind the sidecar: there is none here.
    const editor = await preview("/_proliferate/vscode/?folder=x", { authorization });
    expect([editor.status, editor.text]).toEqual([501, expect.stringContaining("editor_missing")]);
    expect((await preview("/_proliferate/else")).status).toBe(404);
    const escape = await preview("/_proliferate/mcp/..%2f..%2fetc/passwd", { authorization });
    expect(escape.text).toMatch(/^application /);

    const terminal = new WebSocket(`ws://127.0.0.1:${previewPort}/_proliferate/mcp/api/terminal`, {
      headers: { authorization },
    });
    let seen = "";
    terminal.on("message", (data) => (seen += (data as Buffer).toString()));
    await once(terminal, "open");
    terminal.send("echo through-$((1 + 1))\r");
    await vi.waitFor(() => expect(seen).toContain("through-2"), patience);
    terminal.terminate();
  });
});
