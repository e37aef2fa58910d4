import { execFile } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { cacheFolder } from "../fetch/cache-folder.ts";

/** Says which packages. They are no part of the program, so it is a package of its own. */
const peers = join(import.meta.dirname, "peers");
const manifests = ["package.json", "package-lock.json"] as const;

/**
 * Installs the packages that benchmarks compare with into the cache folder, in the versions of the
 * lockfile in `peers`, and answers what imports one of them.
 *
 * @throws what `npm ci` fails with
 */
export const installPeers = async (
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<(name: string) => Promise<unknown>> => {
  const folder = join(await cacheFolder(env), "bench-peers");
  await mkdir(folder, { recursive: true });
  for (const manifest of manifests) {
    await copyFile(join(peers, manifest), join(folder, manifest));
  }
  // Scripts of packages are not run: what is measured here is plain JavaScript.
  await promisify(execFile)("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    env,
  });
  const { resolve } = createRequire(join(folder, "package.json"));
  return (name) => import(pathToFileURL(resolve(name)).href);
};
