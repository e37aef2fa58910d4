import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { failingTestRepository } from "#sandbox/scripted-model/index";

const run = promisify(execFile);

/** Makes a git repository with a failing test in a new folder, and answers the folder. */
export const createRepositoryFixture = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(failingTestRepository)) {
    await writeFile(join(folder, name), content);
  }
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=Demo", "-c", "user.email=demo@localhost.localdomain", ...args], {
      cwd: folder,
    });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "--message=A sum that is none");
  return folder;
};
