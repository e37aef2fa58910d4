import { readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findOwnArchive, readAptSources, readOsRelease } from "../fetch/apt-sources.ts";
import { privateApt, unpackDeb } from "../fetch/private-apt.ts";
import { withTemporaryFolder } from "../fetch/temporary-folder.ts";
import type { NatsFetcher } from "./find-nats-server.ts";

/**
 * The suite and component of each distribution that has a new enough `nats-server`. Its releases
 * have older ones, but the program needs little of the system and runs on them.
 */
const whereToLook: Readonly<Record<string, { suite: string; component: string }>> = {
  debian: { suite: "forky", component: "main" },
  ubuntu: { suite: "devel", component: "universe" },
};

/** Takes the package from the distribution's next release, through the machine's own package source. */
export const natsFromDebian = (): NatsFetcher => ({
  name: "the distribution's packages",
  fetchTo: async (target) => {
    const os = await readOsRelease();
    const place = os === undefined ? undefined : whereToLook[os.id];
    if (os === undefined || place === undefined) throw new Error("neither Debian nor Ubuntu");
    const archive = findOwnArchive(await readAptSources(), os.codename, place.component);
    if (archive === undefined) throw new Error("no package source of the distribution is set up");

    await withTemporaryFolder(dirname(target), async (folder) => {
      const apt = await privateApt(
        folder,
        [
          "Types: deb",
          `URIs: ${archive.uri}`,
          `Suites: ${place.suite}`,
          `Components: ${place.component}`,
          ...(archive.signedBy === undefined ? [] : [`Signed-By: ${archive.signedBy}`]),
          "",
        ].join("\n"),
      );
      await apt.aptGet("update");
      await apt.aptGet("download", "nats-server");
      const file = (await readdir(apt.archives)).find((name) => name.endsWith(".deb"));
      if (file === undefined) throw new Error("the package was not downloaded");
      const unpacked = join(folder, "unpacked");
      await unpackDeb(join(apt.archives, file), unpacked);
      await rename(join(unpacked, "usr/sbin/nats-server"), target);
    });
  },
});
