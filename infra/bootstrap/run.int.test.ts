import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isAlive } from "../process/running-processes.ts";

const root = join(import.meta.dirname, "..", "..");
const limit = { timeout: 30_000, interval: 20 };

/** A package of its own with the real bootstrap in it, and with nothing installed. */
let folder: string;
const started: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bootstrap-"));
  await cp(join(root, "infra/bootstrap"), join(folder, "infra/bootstrap"), { recursive: true });
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "package-lock.json"), "{}");
  await writeFile(join(folder, "npm.js"), fakeNpm);
});

afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** Stands in for npm: notes that it was called, and installs the one package that is needed. */
const fakeNpm = `
import fs from "node:fs";
fs.appendFileSync("npm-calls", process.argv.slice(2).join(" ") + "\\n");
console.log("npm's chatter");
fs.rmSync("node_modules", { recursive: true, force: true });
fs.mkdirSync("node_modules");
fs.symlinkSync(${JSON.stringify(join(root, "node_modules/tsx"))}, "node_modules/tsx");
`;

const writeProgram = async (file: string, source: string): Promise<void> => {
  await mkdir(join(folder, file, ".."), { recursive: true });
  await writeFile(join(folder, file), source);
};

const start = (...args: string[]): ChildProcess => {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    npm_execpath: join(folder, "npm.js"),
    NODE_OPTIONS: "",
  };
  const child = spawn(process.execPath, [join(folder, "infra/bootstrap/run.mjs"), ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  return child;
};

const finish = async (child: ChildProcess) => {
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...output };
};

const npmCalls = async (): Promise<string[]> =>
  (await readFile(join(folder, "npm-calls"), "utf8")).trim().split("\n");

it("installs what the lockfile says, once for two starts, again when it changes, and off stdout", async () => {
  await writeProgram(
    "services/cli/main.ts",
    "console.log(JSON.stringify(process.argv.slice(2) satisfies string[])); process.exitCode = 3;",
  );
  const printed = '["--json","a b"]\n';
  const [first, second] = await Promise.all([
    finish(start("cli", "--json", "a b")),
    finish(start("cli", "--json", "a b")),
  ]);
  expect(first).toMatchObject({ code: 3, stdout: printed });
  expect(second).toMatchObject({ code: 3, stdout: printed });
  expect(await npmCalls()).toEqual(["ci --ignore-scripts --no-audit --no-fund"]);

  await finish(start("cli"));
  expect(await npmCalls()).toHaveLength(1);
  await writeFile(join(folder, "package-lock.json"), '{"changed":true}');
  await finish(start("cli"));
  expect(await npmCalls()).toHaveLength(2);
});

it("answers an unknown command with the list of commands", async () => {
  const { code, stdout, stderr } = await finish(start("strat"));
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toBe("Use one of the commands demo, start, cli, bench, test, check, build.\n");
});

const longRunning = `
process.on("SIGINT", () => process.exit(41));
process.on("SIGTERM", () => process.exit(42));
setInterval(() => undefined, 1000);
console.log(process.pid);
`;

const startLongRunning = async (): Promise<{ bootstrap: ChildProcess; pid: number }> => {
  await writeProgram("services/cli/main.ts", longRunning);
  const bootstrap = start("cli");
  return { bootstrap, pid: await printedPid(bootstrap) };
};

const printedPid = async (child: ChildProcess): Promise<number> => {
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await vi.waitUntil(() => output.endsWith("\n") || child.exitCode !== null, limit);
  const pid = Number.parseInt(output, 10);
  expect(pid).toBeGreaterThan(0);
  return pid;
};

it.each([
  ["SIGINT", 41],
  ["SIGTERM", 42],
] as const)("passes %s on and ends with the program's exit code", async (signal, expected) => {
  const { bootstrap } = await startLongRunning();
  bootstrap.kill(signal);
  const [code] = (await once(bootstrap, "exit")) as [number];
  expect(code).toBe(expected);
});

it("takes the program along when it is killed", async () => {
  const { bootstrap, pid } = await startLongRunning();
  bootstrap.kill("SIGKILL");
  await vi.waitUntil(async () => !(await isAlive(pid)), limit);
});

it("takes the program along when the npm that runs it is killed", async () => {
  await writeProgram("services/cli/main.ts", longRunning);
  // Stands in for npm: runs the script in a shell, which stays between the two.
  const script = `node infra/bootstrap/run.mjs cli; exit $?`;
  const npm = spawn(
    process.execPath,
    [
      "-e",
      "require('child_process').spawn('sh', ['-c', process.argv[1]], { stdio: 'inherit' })",
      script,
    ],
    {
      cwd: folder,
      env: { ...process.env, npm_lifecycle_event: "cli", npm_execpath: join(folder, "npm.js") },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  started.push(npm);
  const pid = await printedPid(npm);
  npm.kill("SIGKILL");
  await vi.waitUntil(async () => !(await isAlive(pid)), limit);
});
