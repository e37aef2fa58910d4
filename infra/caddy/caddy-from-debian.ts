import { readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { privateApt, unpackDeb } from "../fetch/private-apt.ts";
import { withTemporaryFolder } from "../fetch/temporary-folder.ts";

/** Puts the distribution's Caddy at `target` (complete or not at all), without root and without installing it. */
export const fetchCaddy = (target: string): Promise<void> =>
  withTemporaryFolder(dirname(target), async (folder) => {
    const apt = await privateApt(folder);
    await apt.aptGet("update");
    await apt.aptGet("download", "caddy");
    const file = (await readdir(apt.archives)).find((name) => name.endsWith(".deb"));
    if (file === undefined) throw new Error("the package was not downloaded");
    const unpacked = join(folder, "unpacked");
    await unpackDeb(join(apt.archives, file), unpacked);
    await rename(join(unpacked, "usr/bin/caddy"), target);
  });
