import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runProcess } from "../providers/local/run-process.ts";
import type { Exec } from "./exec.ts";
import { writeFiles } from "./write-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "proliferate-write-files-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** @param cutTo how many bytes of the input get there; all by default */
const execIn =
  (cutTo?: number): Exec =>
  async (argv, { stdin = "" } = {}) => {
    const result = await runProcess({
      argv,
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "" },
      stdin: Buffer.from(stdin).subarray(0, cutTo),
      timeoutMs: 60_000,
      maxOutputBytes: 100_000,
    });
    return { ...result, stdout: result.stdout.toString(), stderr: result.stderr.toString() };
  };

const contentOf = (name: string) => readFile(path.join(folder, name), "utf8");

it("writes each file whole, with its permissions and the folders above it, and nothing else", async () => {
  const large = "ä line\n".repeat(100_000);
  await writeFile(path.join(folder, "elsewhere"), "untouched");
  await symlink("elsewhere", path.join(folder, "link"));
  await writeFiles(execIn(), [
    { path: "it's/a $HOME/first.txt", content: "first" },
    { path: `${folder}/large.txt`, content: large },
    { path: "./empty", content: "" },
    { path: "./link", content: "in the link's place" },
    { path: "bin/run", content: "#!/bin/sh\n", mode: 0o755 },
    { path: "secret/last", content: "no line end", mode: 0o600 },
  ]);
  expect(await contentOf("it's/a $HOME/first.txt")).toBe("first");
  expect(await contentOf("large.txt")).toBe(large);
  expect(await contentOf("empty")).toBe("");
  expect([await contentOf("link"), await contentOf("elsewhere")]).toEqual([
    "in the link's place",
    "untouched",
  ]);
  expect(await contentOf("secret/last")).toBe("no line end");
  const modes = await Promise.all(
    ["large.txt", "bin/run", "secret/last"].map((name) => stat(path.join(folder, name))),
  );
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o644, 0o755, 0o600]);
  const names = ["bin", "elsewhere", "empty", "it's", "large.txt", "link", "secret"];
  expect((await readdir(folder)).sort()).toEqual(names);
});

it("replaces no file when the contents were cut off on the way, and names what it was to write", async () => {
  await writeFile(path.join(folder, "first"), "before");
  const files = ["first", "second"].map((name) => ({ path: `./${name}`, content: "new content" }));
  await expect(writeFiles(execIn(15), files)).rejects.toMatchObject({
    code: "sandbox_unavailable",
    message: expect.stringContaining("./first, ./second") as unknown,
  });
  expect(await contentOf("first")).toBe("before");
});
