import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { natsFromRelease } from "./nats-from-release.ts";

const run = promisify(execFile);

let folder: string;
let server: Server;
let archive: Buffer;
/** Files of the release by the end of their name. */
let served: Map<string, Buffer>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nats-release-"));
  served = new Map();
  server = createServer((request, response) => {
    const name = request.url?.split("/").at(-1) ?? "";
    const body = served.get(name.endsWith(".tar.gz") ? "archive" : name);
    if (body === undefined) response.writeHead(404).end();
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const releases = (): string => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

const archiveName = (): string => {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  return `nats-server-v2.15.1-${process.platform}-${architecture}`;
};

const publish = async (checksumOf: (archive: Buffer) => string): Promise<void> => {
  await mkdir(join(folder, "made", archiveName()), { recursive: true });
  await writeFile(join(folder, "made", archiveName(), "nats-server"), "the program");
  const file = join(folder, "made.tar.gz");
  await run("tar", ["-czf", file, "-C", join(folder, "made"), archiveName()]);
  archive = await readFile(file);
  served.set("archive", archive);
  served.set(
    "SHA256SUMS",
    Buffer.from(`${"0".repeat(64)}  other.zip\n${checksumOf(archive)}  ${archiveName()}.tar.gz\n`),
  );
};

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

it("unpacks an archive that matches its checksum", async () => {
  await publish(sha256);
  const cache = join(folder, "cache");
  await mkdir(cache);
  await natsFromRelease(releases()).fetchTo(join(cache, "nats-server"));
  expect(await readFile(join(cache, "nats-server"), "utf8")).toBe("the program");
  expect(await readdir(cache)).toEqual(["nats-server"]);
});

it("leaves nothing of an archive that does not match its checksum", async () => {
  await publish((bytes) => sha256(Buffer.concat([bytes, Buffer.from("!")])));
  const cache = join(folder, "cache");
  await mkdir(cache);
  await expect(natsFromRelease(releases()).fetchTo(join(cache, "nats-server"))).rejects.toThrow(
    "does not match its checksum",
  );
  expect(await readdir(cache)).toEqual([]);
});

it("says when there is no such release", async () => {
  await expect(natsFromRelease(releases()).fetchTo(join(folder, "nats-server"))).rejects.toThrow(
    "answered with 404",
  );
});
