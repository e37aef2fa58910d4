/** `proliferate services` against a sidecar that runs from the same bundle. */
import { once } from "node:events";
import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { endProcesses, serviceMarker } from "../services/service-process.ts";
import type { SidecarConfigInput } from "../sidecar/config.ts";
import { bundledCommand, type BundledCommand, type Ended } from "../testing/bundled-command.ts";
import { exitCodes } from "./exit-codes.ts";

const patience = { timeout: 30_000, interval: 50 };

let command: BundledCommand;
let sidecar: Awaited<ReturnType<BundledCommand["startSidecar"]>>;
let workspace: string;
let temporary: string;
let env: Record<string, string>;

beforeAll(async () => {
  command = await bundledCommand();
  workspace = path.join(command.folder, "workspace");
  temporary = path.join(command.folder, "temporary");
  await mkdir(path.join(workspace, "app"), { recursive: true });
  await mkdir(temporary);
  const config: SidecarConfigInput = { workspace, port: 0 };
  const configFile = path.join(command.folder, "sidecar.json");
  await writeFile(configFile, JSON.stringify(config));
  env = { HOME: command.folder, TMPDIR: temporary, PROLIFERATE_SANDBOX_TOKEN: "token" };
  sidecar = await command.startSidecar(configFile, { cwd: workspace, env });
  env["PROLIFERATE_SIDECAR_URL"] = `http://127.0.0.1:${sidecar.port}`;
});
afterAll(async () => {
  const exit = once(sidecar.process, "exit");
  sidecar.process.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
  await endProcesses(serviceMarker(path.join(command.folder, ".proliferate"), "web"));
  await command.remove();
});

const services = (...args: string[]): Promise<Ended> =>
  command.run(["services", ...args], { cwd: path.join(workspace, "app"), env });

test("a service is started where the command is run, listed, read, restarted and stopped", async () => {
  const started = await services(
    ...["start", "--name", "web", "--env", "WORD=a=b", "--json"],
    ...["--command", 'echo "$(basename "$PWD") $WORD [$PROLIFERATE_SANDBOX_TOKEN]"; sleep 1000'],
  );
  expect(started).toMatchObject({ code: exitCodes.done, stderr: "" });
  expect(JSON.parse(started.stdout)).toMatchObject({ name: "web", status: "running" });
  await vi.waitFor(async () => {
    expect((await services("logs", "--name", "web")).stdout).toBe("app a=b []\n");
  }, patience);
  expect((await services("list")).stdout).toMatch(/^web\trunning\tpid \d+\t-\techo /);
  expect((await services("restart", "--name", "web")).code).toBe(exitCodes.done);
  expect((await services("stop", "--name", "web")).stdout).toMatch(/^web\tstopped\t-\t/);
  const list = JSON.parse((await services("list", "--json")).stdout) as unknown;
  expect(list).toMatchObject({ services: [{ name: "web", status: "stopped" }], exposedPort: null });
});

test("the terminal's native part comes out of the bundle and leaves no file behind", async () => {
  const terminal = new WebSocket(`ws://127.0.0.1:${sidecar.port}/api/terminal`, {
    headers: { authorization: "Bearer token" },
  });
  let seen = "";
  terminal.on("message", (data) => (seen += (data as Buffer).toString()));
  await once(terminal, "open");
  terminal.send("tty && echo real-$((1 + 1)); exit\r");
  await once(terminal, "close");
  expect(seen).toContain("/dev/pts/");
  expect(seen).toContain("real-2");
  expect(await readdir(temporary)).toEqual([]);
});

test.each<readonly [name: string, args: readonly string[], code: number, said: RegExp]>([
  ["an unknown service", ["stop", "--name", "none"], exitCodes.usage, /service_not_found/],
  [
    "a bad name",
    ["start", "--name", "../x", "--command", "true"],
    exitCodes.usage,
    /request_invalid/,
  ],
  [
    "a folder outside",
    ["start", "--name", "x", "--command", "true", "--cwd", "/"],
    exitCodes.usage,
    /path_outside_workspace/,
  ],
  [
    "a bad variable",
    ["start", "--name", "x", "--command", "true", "--env", "1"],
    exitCodes.usage,
    /NAME=value/,
  ],
  ["a bad port", ["expose", "--port", "http"], exitCodes.usage, /whole number/],
  ["no preview", ["expose", "--port", "3000"], exitCodes.refused, /preview_unavailable/],
])("%s ends with a sentence and an exit code", async (_name, args, code, said) => {
  const ended = await services(...args);
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(ended.stderr).toMatch(said);
});

test("a wrong token, no sidecar and a bad configuration are told apart", async () => {
  const at = { cwd: workspace, env };
  const list = ["services", "list"];
  const wrong = await command.run(list, {
    ...at,
    env: { ...env, SANDBOX_MCP_AUTH_TOKEN: "wrong" },
  });
  expect(wrong).toMatchObject({ code: exitCodes.refused });
  expect(wrong.stderr).toContain("unauthenticated");
  const nobody = await command.run(list, {
    ...at,
    env: { ...env, PROLIFERATE_SIDECAR_URL: "http://127.0.0.1:1" },
  });
  expect(nobody).toMatchObject({ code: exitCodes.unreachable });
  const bad = path.join(command.folder, "bad.json");
  await writeFile(bad, '{"workspace":"relative","port":"x"}');
  const configured = await command.run(["sidecar", "--config", bad], at);
  expect(configured).toMatchObject({ code: exitCodes.usage });
  expect(configured.stderr).toMatch(/workspace[\s\S]*port|port[\s\S]*workspace/);
});

test("what the sidecar remembers is its owner's alone", async () => {
  const file = path.join(command.folder, ".proliferate", "services.json");
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ version: 1 });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
