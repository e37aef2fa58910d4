/** The editor through the sidecar. A stand-in has the real one's command line and its place on `PATH`. */
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { startSidecarHarness, testToken, type SidecarHarness } from "../testing/sidecar-harness.ts";
import { editorService } from "./editor.ts";

const patience = { timeout: 30_000, interval: 50 };
const standIn = fileURLToPath(new URL("../testing/editor-stand-in.ts", import.meta.url));

let folder: string;
let sidecar: SidecarHarness | undefined;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "proliferate-editor-"));
  await mkdir(path.join(folder, "bin"));
  const node = `"${process.execPath}" --conditions=proliferate-source --import tsx`;
  const script = `#!/bin/sh\ncd "${process.cwd()}" && exec ${node} "${standIn}" "$@"\n`;
  await writeFile(path.join(folder, "bin/code-server"), script, { mode: 0o755 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  await sidecar?.close();
  sidecar = undefined;
});

const start = async (options: Parameters<typeof startSidecarHarness>[1] = {}) => {
  const searchPath = `${path.join(folder, "bin")}:${process.env["PATH"] ?? ""}`;
  return (sidecar = await startSidecarHarness({}, { searchPath, ...options }));
};

interface Seen {
  readonly pid: number;
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}
const seen = async (harness: SidecarHarness, at: string, call = {}): Promise<Seen> => {
  const answer = await harness.call({ path: `/vscode${at}`, ...call });
  expect(answer.status).toBe(200);
  return answer.json() as Seen;
};
const statusOf = async (harness: SidecarHarness): Promise<string | undefined> => {
  const { services } = (await harness.call({ path: "/api/services" })).json() as {
    services: { name: string; status: string }[];
  };
  return services.find(({ name }) => name === editorService)?.status;
};

test("is started by the first who asks, once, and sees nothing of the sidecar's token", async () => {
  const harness = await start();
  expect(await statusOf(harness)).toBeUndefined();
  const [first, ...others] = await Promise.all(
    ["/one?a=b", "/two", "/three"].map((at) => seen(harness, at, { headers: { "x-own": "kept" } })),
  );
  expect(first).toMatchObject({ url: "/one?a=b", headers: { "x-own": "kept" } });
  expect(first?.headers["authorization"]).toBeUndefined();
  expect(new Set([first?.pid, ...others.map(({ pid }) => pid)]).size).toBe(1);

  const body = "x".repeat(300_000);
  expect((await seen(harness, "/save", { method: "PUT", body })).body).toBe(body);
  const page = await harness.call({ path: "/vscode/" });
  expect(page.status).toBe(302);
  expect(page.headers["location"]).toBe(`./?folder=${harness.workspace}`);
});

test("lets nobody in without the token, neither requests nor WebSockets, and is not started for them", async () => {
  const harness = await start();
  expect((await harness.call({ path: "/vscode/", anonymous: true })).problem().code).toBe(
    "unauthenticated",
  );
  const socket = new WebSocket(`ws://127.0.0.1:${harness.port()}/vscode/socket`);
  const [, refusal] = (await once(socket, "unexpected-response")) as [
    unknown,
    { statusCode: number },
  ];
  expect(refusal.statusCode).toBe(401);
  expect(await statusOf(harness)).toBeUndefined();
});

test("carries WebSockets, which keep it running; unused it is ended, and started again when asked", async () => {
  const harness = await start({ editorLimits: { idleMs: 200 } });
  const socket = new WebSocket(`ws://127.0.0.1:${harness.port()}/vscode/socket?r=1`, {
    headers: { authorization: `Bearer ${testToken}` },
  });
  const [greeting] = (await once(socket, "message")) as [Buffer];
  const opening = JSON.parse(greeting.toString()) as Seen;
  expect(opening.url).toBe("/socket?r=1");
  expect(opening.headers["authorization"]).toBeUndefined();
  for (const text of ["a", "b".repeat(200_000)]) {
    socket.send(text);
    const [data] = (await once(socket, "message")) as [Buffer];
    expect(data.toString()).toBe(text);
  }
  const { pid } = await seen(harness, "/other"); // Its end is no reason to end the editor.
  socket.close();
  await vi.waitFor(async () => expect(await statusOf(harness)).toBe("stopped"), patience);
  expect((await seen(harness, "/again")).pid).not.toBe(pid);
});

test("comes back when it has failed, and a person cannot stop it as a service", async () => {
  const harness = await start();
  const { pid } = await seen(harness, "/first");
  await harness.call({ path: "/vscode/end" });
  await vi.waitFor(async () => expect((await seen(harness, "/again")).pid).not.toBe(pid), patience);
  const stop = await harness.call({ method: "DELETE", path: `/api/services/${editorService}` });
  expect(stop.problem().code).toBe("forbidden");
});

test("says so when the image has none, or when what it has does not start", async () => {
  const none = await start({ searchPath: "/nowhere" });
  expect((await none.call({ path: "/vscode/" })).problem()).toMatchObject({
    ...{ code: "editor_missing", status: 501 },
  });
  await none.close();

  const bin = path.join(folder, "broken");
  await mkdir(bin);
  await writeFile(path.join(bin, "openvscode-server"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
  const broken = await start({ searchPath: bin, editorLimits: { startTimeoutMs: 500 } });
  expect((await broken.call({ path: "/vscode/" })).problem()).toMatchObject({
    ...{ code: "editor_unavailable", status: 503 },
  });
});
