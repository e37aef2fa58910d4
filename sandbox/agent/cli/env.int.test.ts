/** `proliferate env` as a sandbox has it. */
import { execFile } from "node:child_process";
import { lstat, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bundledCommand, type BundledCommand, type Ended } from "../testing/bundled-command.ts";
import { exitCodes } from "./exit-codes.ts";

const run = promisify(execFile);

let command: BundledCommand;
let workspace: string;
let home: string;

beforeAll(async () => {
  command = await bundledCommand();
  workspace = path.join(command.folder, "workspace");
  home = path.join(command.folder, "home");
});
afterAll(() => command.remove());

beforeEach(async () => {
  await rm(workspace, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
  await mkdir(path.join(home, ".proliferate"), { recursive: true });
  await mkdir(path.join(workspace, "app"), { recursive: true });
  await git("init", "-q");
  await writeFile(path.join(workspace, "app", "tracked.env"), "A=1\n");
  await git("add", ".");
  await git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first");
});

const git = async (...args: string[]): Promise<string> =>
  (await run("git", ["-C", workspace, ...args])).stdout;

const env = (args: readonly string[], variables: Record<string, string> = {}): Promise<Ended> =>
  command.run(["env", ...args], { cwd: workspace, env: { HOME: home, ...variables } });

const apply = (files: unknown, variables: Record<string, string> = {}): Promise<Ended> =>
  env(["apply", "--spec", JSON.stringify({ files })], variables);

const read = (name: string): Promise<string> => readFile(path.join(workspace, name), "utf8");

test("files are written for their owner alone, unseen by git, and scrubbed", async () => {
  await writeFile(
    path.join(home, ".proliferate", "env.json"),
    JSON.stringify({ API_KEY: "given", OTHER: "o" }),
  );
  const files = [
    {
      path: "app/.env.local",
      variables: [
        { name: "API_KEY" },
        { name: "RENAMED", from: "OTHER" },
        { name: "PORT", value: "3000" },
        { name: "LEVEL", default: "info" },
        { name: "ABSENT", required: false },
        { name: "FROM_ENVIRONMENT" },
      ],
    },
    { path: "new [a]/deep/.env", variables: [{ name: "API_KEY" }] },
  ];
  const applied = await apply(files, { API_KEY: "environment", FROM_ENVIRONMENT: "e" });
  expect(applied).toEqual({
    code: exitCodes.done,
    stdout: "wrote app/.env.local\nwrote new [a]/deep/.env\n",
    stderr: "",
  });
  const lines = (await read("app/.env.local")).split("\n").slice(1);
  expect(lines).toEqual([
    "API_KEY=given",
    "RENAMED=o",
    "PORT=3000",
    "LEVEL=info",
    "FROM_ENVIRONMENT=e",
    "",
  ]);
  expect((await stat(path.join(workspace, "app/.env.local"))).mode & 0o777).toBe(0o600);
  expect(await git("status", "--porcelain")).toBe("");

  expect((await apply(files, { FROM_ENVIRONMENT: "e" })).code).toBe(exitCodes.done);
  const exclude = await read(".git/info/exclude");
  expect(exclude.match(/^\/app\/\.env\.local$/gm)).toHaveLength(1);

  const scrubbed = await env(["scrub", "--json"]);
  expect(JSON.parse(scrubbed.stdout)).toEqual({ removed: ["app/.env.local", "new [a]/deep/.env"] });
  expect(await readdir(path.join(workspace, "app"))).toEqual(["tracked.env"]);
  expect(JSON.parse((await env(["scrub", "--json"])).stdout)).toEqual({ removed: [] });
});

test("a shell reads back exactly what was given, or nothing is written", async () => {
  const values = {
    PLAIN: "a.b/c:d@e",
    SPACES: " two  words ",
    SHELL: '$(touch pwned) `touch pwned` $HOME \\ " ; & | < > # !',
    LINES: "-----BEGIN-----\nabc=\n-----END-----",
    QUOTE: "it's",
    EMPTY: "",
    UNICODE: "ü→🙂",
  };
  await writeFile(path.join(home, ".proliferate", "env.json"), JSON.stringify(values));
  const variables = Object.keys(values).map((name) => ({ name }));
  expect((await apply([{ path: ".env", variables }])).code).toBe(exitCodes.done);
  const print =
    'set -a; . ./.env; exec "$0" -e "process.stdout.write(JSON.stringify(process.env))"';
  const { stdout } = await run("sh", ["-c", print, process.execPath], { cwd: workspace, env: {} });
  expect(JSON.parse(stdout)).toMatchObject(values);

  const refused = await apply([{ path: ".env2", variables: [{ name: "A", value: "it's $5" }] }]);
  expect(refused).toMatchObject({ code: exitCodes.usage, stdout: "" });
  expect(refused.stderr).toContain("cannot be written safely");
  expect(refused.stderr).not.toContain("$5");
});

test("with one problem nothing at all is written, and all problems are named", async () => {
  await symlink("/tmp", path.join(workspace, "out"));
  await symlink("/nowhere/at/all", path.join(workspace, "dangling"));
  await symlink("tracked.env", path.join(workspace, "app", "link.env"));
  const variables = [{ name: "SECRET" }];
  const ended = await apply([
    { path: "good/.env", variables: [{ name: "A", value: "1" }] },
    { path: "missing/.env", variables },
    { path: "out/proliferate-test.env", variables: [] },
    { path: "dangling/x/.env", variables: [] },
    { path: "app/link.env", variables: [] },
    { path: "app/tracked.env", variables: [] },
    { path: "app", variables: [] },
    { path: "app/../../escape.env", variables: [] },
    { path: "good/../good/.env", variables: [] },
  ]);
  expect(ended).toMatchObject({ code: exitCodes.usage, stdout: "" });
  for (const said of [
    "missing/.env: nobody has given SECRET a value",
    "out/proliferate-test.env: ",
    "dangling/x/.env: ",
    "app/link.env: there is a link of this name",
    "app/tracked.env: is a file that git keeps",
    "app: there is a folder of this name",
    "app/../../escape.env: ",
    "good/../good/.env: is there twice",
  ]) {
    expect(ended.stderr).toContain(said);
  }
  expect((await readdir(workspace)).sort()).toEqual([".git", "app", "dangling", "out"]);
  expect(await read("app/tracked.env")).toBe("A=1\n");
});

test.each([
  ["an absolute path", { path: "/etc/x.env", variables: [] }],
  ["git's own folder", { path: "app/.GIT/config", variables: [] }],
  ["a line break in a path", { path: "a\nb", variables: [] }],
  ["a NUL in a path", { path: "a\0b", variables: [] }],
  ["a bad name", { path: ".env", variables: [{ name: "A; rm -rf /" }] }],
  ["an unknown field", { path: ".env", variables: [], mode: "0777" }],
])("a specification with %s is refused", async (_name, file) => {
  const ended = await apply([file]);
  expect(ended).toMatchObject({ code: exitCodes.usage, stdout: "" });
  expect(ended.stderr).toContain("--spec");
});

test("scrubbing removes a link and not what it points to, and leaves nothing unfinished", async () => {
  const outside = path.join(command.folder, "outside.txt");
  await writeFile(outside, "kept");
  await apply([{ path: "app/.env", variables: [] }]);
  await rm(path.join(workspace, "app", ".env"));
  await symlink(outside, path.join(workspace, "app", ".env"));
  await writeFile(path.join(workspace, "app", ".env.proliferate-unfinished"), "SECRET=1");
  const spec = path.join(command.folder, "spec.json");
  await writeFile(spec, JSON.stringify({ files: [{ path: "gone/.env", variables: [] }] }));
  expect((await env(["scrub", "--spec", spec])).stdout).toBe("removed app/.env\n");
  expect(await readFile(outside, "utf8")).toBe("kept");
  expect(await readdir(path.join(workspace, "app"))).toEqual(["tracked.env"]);
});

test("where there is no repository files are written all the same, and a damaged record is told", async () => {
  await rm(path.join(workspace, ".git"), { recursive: true });
  expect((await apply([{ path: ".env", variables: [] }])).code).toBe(exitCodes.done);
  expect((await lstat(path.join(workspace, ".env"))).isFile()).toBe(true);
  await writeFile(path.join(home, ".proliferate", "env-files.json"), "{");
  expect((await env(["scrub"])).code).toBe(exitCodes.failed);
  await writeFile(path.join(home, ".proliferate", "env.json"), "[1]");
  expect((await apply([])).code).toBe(exitCodes.usage);
});
