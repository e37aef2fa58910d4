import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { withTemporaryFolder } from "../fetch/temporary-folder.ts";
import type { NatsFetcher } from "./find-nats-server.ts";

const run = promisify(execFile);

const releaseVersion = "2.15.1";
const officialReleases = "https://github.com/nats-io/nats-server/releases/download";
const downloadTimeoutMs = 3 * 60_000;

const architectures: Readonly<Record<string, string>> = {
  x64: "amd64",
  arm64: "arm64",
  arm: "arm7",
  ppc64: "ppc64le",
  s390x: "s390x",
};

/** Takes the archive of the official release, checked against the checksums that lie beside it. */
export const natsFromRelease = (releases = officialReleases): NatsFetcher => ({
  name: "the official release",
  fetchTo: async (target) => {
    const architecture = architectures[process.arch];
    if (architecture === undefined) throw new Error(`there is none for ${process.arch}`);
    const name = `nats-server-v${releaseVersion}-${process.platform}-${architecture}`;
    const folder = `${releases}/v${releaseVersion}`;

    const checksums = (await download(`${folder}/SHA256SUMS`)).toString("utf8");
    const expected = checksums
      .split("\n")
      .map((line) => line.trim().split(/\s+\*?/))
      .find(([, file]) => file === `${name}.tar.gz`)?.[0];
    if (expected === undefined) throw new Error(`there is none for ${process.platform}`);

    const archive = await download(`${folder}/${name}.tar.gz`);
    const actual = createHash("sha256").update(archive).digest("hex");
    if (actual !== expected) throw new Error("the download does not match its checksum");

    await withTemporaryFolder(dirname(target), async (temporary) => {
      const file = join(temporary, "release.tar.gz");
      await writeFile(file, archive);
      await run("tar", ["-xzf", file, "-C", temporary, `${name}/nats-server`]);
      const binary = join(temporary, name, "nats-server");
      await chmod(binary, 0o755);
      await rename(binary, target);
    });
  },
});

const download = async (url: string): Promise<Buffer> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(downloadTimeoutMs) });
  if (!response.ok) throw new Error(`the download was answered with ${String(response.status)}`);
  return Buffer.from(await response.arrayBuffer());
};
