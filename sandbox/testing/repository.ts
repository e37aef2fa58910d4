/** A small git repository with the branches `main` and `feature`. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { execFile } from "node:child_process";

const run = promisify(execFile);

/** @returns its `file:` URL */
export const makeRepository = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", ...args], {
      cwd: folder,
    });
  await git("init", "--quiet", "--initial-branch", "main");
  await writeFile(path.join(folder, "README.md"), "on main\n");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "First");
  await git("checkout", "--quiet", "-b", "feature");
  await writeFile(path.join(folder, "README.md"), "on feature\n");
  await git("commit", "--quiet", "-am", "Second");
  await git("checkout", "--quiet", "main");
  return pathToFileURL(folder).href;
};
