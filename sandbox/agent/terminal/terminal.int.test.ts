import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { readProcess } from "../../providers/local/processes.ts";
import { startSidecarHarness, testToken, type SidecarHarness } from "../testing/sidecar-harness.ts";
import { terminalCloseCodes } from "./terminal-socket.ts";

const patience = { timeout: 30_000, interval: 25 };

let sidecar: SidecarHarness;
const clients: Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await sidecar.close();
});

interface Client {
  readonly socket: WebSocket;
  seen(): string;
  closed(): readonly [code: number, reason: string] | null;
}

const connect = async (query = "", headers: Record<string, string> = {}): Promise<Client> => {
  const socket = new WebSocket(`ws://127.0.0.1:${sidecar.port()}/api/terminal${query}`, {
    headers: { authorization: `Bearer ${testToken}`, ...headers },
  });
  let seen = "";
  let closed: readonly [number, string] | null = null;
  socket.on("message", (data, isBinary) => {
    expect(isBinary).toBe(false);
    seen += (data as Buffer).toString("utf8");
  });
  socket.once("close", (code, reason) => {
    closed = [code, reason.toString()];
  });
  const client = { socket, seen: () => seen, closed: () => closed };
  clients.push(client);
  await once(socket, "open");
  return client;
};

const shows = (client: Client, text: string): Promise<boolean> =>
  vi.waitUntil(() => client.seen().includes(text), patience);

const list = async () =>
  (await sidecar.call({ path: "/api/terminals" })).json() as {
    terminals: { name: string; pid: number; viewers: number }[];
  };

test("a shell on a real terminal takes keystrokes and sizes, and says how it ended", async () => {
  sidecar = await startSidecarHarness();
  const client = await connect("?cols=91&rows=17");
  client.socket.send("test -t 0 && echo tty-$((20 + 3)); stty size; echo ü-$((1 + 1))\r");
  await shows(client, "tty-23");
  await shows(client, "17 91");
  await shows(client, "ü-2");
  client.socket.send('{"type":"resize","cols":120,"rows":40}');
  client.socket.send("stty size\r");
  await shows(client, "40 120");
  // What only looks like a message is keystrokes, and a binary frame always is.
  client.socket.send("{ echo text-$((40 + 2)); }\r");
  client.socket.send(Buffer.from("echo binary-$((40 + 3))\r"));
  await shows(client, "text-42");
  await shows(client, "binary-43");
  client.socket.send("exit 7\r");
  await vi.waitFor(
    () => expect(client.closed()).toEqual([terminalCloseCodes.ended, "exit 7"]),
    patience,
  );
  expect((await list()).terminals).toEqual([]);
});

test("who comes back finds the same shell, with what it has shown meanwhile", async () => {
  sidecar = await startSidecarHarness({}, { terminalLimits: { scrollback: 4_000 } });
  const first = await connect("?name=work");
  first.socket.send("secret=kept; seq 1 5000; echo done-$((2 + 3))\r");
  await shows(first, "done-5");
  first.socket.terminate();
  const second = await connect("?name=work");
  await shows(second, "done-5");
  // What was kept, with a prompt that may have come since; all of it would be seven times as long.
  expect(second.seen().length).toBeLessThan(5_000);
  expect(second.seen()).toMatch(/^\d+\r\n/);
  const watcher = await connect("?name=work");
  second.socket.send("echo again-$secret\r");
  await shows(second, "again-kept");
  await shows(watcher, "again-kept");
  const other = await connect("?name=other");
  other.socket.send("echo other-$secret-$((1 + 1))\r");
  await shows(other, "other--2");
  expect(second.seen()).not.toContain("other--2");
  await vi.waitFor(async () => {
    const { terminals } = await list();
    expect(terminals.map(({ name, viewers }) => [name, viewers])).toEqual([
      ["work", 2],
      ["other", 1],
    ]);
  }, patience);
});

test("a shell that nobody watches is hung up, and so are all when the sidecar ends", async () => {
  sidecar = await startSidecarHarness({}, { terminalLimits: { idleMs: 50 } });
  const client = await connect();
  client.socket.send("echo ready-$((1 + 1))\r");
  await shows(client, "ready-2");
  const pid = (await list()).terminals[0]?.pid ?? 0;
  client.socket.terminate();
  await vi.waitFor(async () => expect((await list()).terminals).toEqual([]), patience);
  expect(await readProcess(pid)).toBeNull();

  const last = await connect();
  last.socket.send("echo ready-$((1 + 1))\r");
  await shows(last, "ready-2");
  const lastPid = (await list()).terminals[0]?.pid ?? 0;
  await sidecar.restart();
  await vi.waitFor(() => expect(last.closed()?.[0]).toBe(1001), patience);
  await vi.waitFor(async () => expect(await readProcess(lastPid)).toBeNull(), patience);
});

test("there are so many terminals and no more; pages of the list may open one", async () => {
  const origin = "https://app.example.com";
  sidecar = await startSidecarHarness(
    { allowedOrigins: [origin] },
    { terminalLimits: { terminals: 1 } },
  );
  const client = await connect("?name=one", { origin });
  client.socket.send("echo ready-$((1 + 1))\r");
  await shows(client, "ready-2");
  const refused = await connect("?name=two");
  await vi.waitFor(
    () => expect(refused.closed()).toEqual([terminalCloseCodes.refused, "too_many_terminals"]),
    patience,
  );
  client.socket.send(Buffer.alloc(2 * 1024 * 1024, "x"));
  await vi.waitFor(() => expect(client.closed()?.[0]).toBe(1009), patience);
});

test("a shell that prints much waits for the client, and nothing of it is lost", async () => {
  sidecar = await startSidecarHarness();
  const client = await connect();
  client.socket.send("echo; seq 1 300000; echo end-$((1 + 1))\r");
  await shows(client, "end-2");
  const numbers = client.seen().match(/^\d+(?=\r$)/gm) ?? [];
  expect(numbers).toHaveLength(300_000);
  expect(new Set(numbers).size).toBe(300_000);
});
