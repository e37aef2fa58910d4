import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { readOsRelease } from "../fetch/apt-sources.ts";
import { privateApt, unpackDeb } from "../fetch/private-apt.ts";
import { withTemporaryFolder } from "../fetch/temporary-folder.ts";

/** Without a font a page has no text to find. */
const packages = ["chromium", "fonts-liberation"];

/**
 * Unpacks Debian's Chromium, and those packages it needs that this machine does not have, into
 * `target`, where `chromium` is then the program to run. What was there before is replaced.
 */
export const fetchChromium = async (target: string): Promise<void> => {
  const os = await readOsRelease();
  // Ubuntu's package of this name only points to its app store.
  if (os?.id !== "debian") throw new Error("this is not Debian");
  await withTemporaryFolder(dirname(target), async (folder) => {
    const apt = await privateApt(folder);
    await apt.aptGet("update");
    await apt.aptGet("install", "--yes", "--no-install-recommends", "--download-only", ...packages);
    const unpacked = join(folder, "unpacked");
    for (const name of await readdir(apt.archives)) {
      if (name.endsWith(".deb")) await unpackDeb(join(apt.archives, name), unpacked);
    }
    const libraries = await libraryFolders(unpacked);
    await writeFile(join(unpacked, "chromium"), startScript(libraries), { mode: 0o755 });
    await rm(target, { recursive: true, force: true });
    await rename(unpacked, target).catch((error: NodeJS.ErrnoException) => {
      // Another process has put its own there in this moment, which is as good.
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  });
};

/** Folders, relative to `root`, that have shared libraries in them. */
const libraryFolders = async (root: string): Promise<string[]> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries
    .filter((entry) => !entry.isDirectory() && /\.so(\.|$)/.test(entry.name))
    .map((entry) => relative(root, entry.parentPath))
    .filter((folder) => !folder.startsWith(join("usr", "lib", "chromium")));
  return [...new Set(folders)].sort();
};

const startScript = (libraries: readonly string[]): string =>
  [
    "#!/bin/sh",
    'here="$(cd "$(dirname "$0")" && pwd)"',
    `export LD_LIBRARY_PATH="${libraries.map((folder) => `$here/${folder}`).join(":")}"`,
    "# Fonts: the machine's, or else those that came with the packages.",
    '[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="$here/etc/fonts"',
    'export XDG_DATA_HOME="$here/usr/share"',
    'exec "$here/usr/lib/chromium/chromium" "$@"',
    "",
  ].join("\n");
