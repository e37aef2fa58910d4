import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { bundleCli } from "#sandbox/agent/bundle-cli";
import { snapshotVersion } from "./snapshot-version.ts";

const imageFolder = fileURLToPath(new URL("../../infra/modal", import.meta.url));
const json = async (file: string) => JSON.parse(await readFile(file, "utf8")) as unknown;

it("names the same source by the same key, and another salt by another one", async () => {
  const copy = await mkdtemp(path.join(tmpdir(), "modal-image-"));
  try {
    await cp(imageFolder, copy, { recursive: true });
    const folder = pathToFileURL(`${copy}/`);
    expect(await snapshotVersion(folder)).toBe(await snapshotVersion());
    const versions = path.join(copy, "image-versions.json");
    await writeFile(
      versions,
      JSON.stringify({ ...((await json(versions)) as object), salt: "other" }),
    );
    expect(await snapshotVersion(folder)).not.toBe(await snapshotVersion());
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
});

it("covers the sidecar and the preview's configuration, which are parts of the command that is baked in", async () => {
  const command = await bundleCli();
  expect(command).toContain("The sidecar listens on");
  expect(command).toContain("handle_path /_proliferate/mcp/*");
});

it("bakes in the OpenCode that this version was tested with", async () => {
  const packageFile = fileURLToPath(new URL("../../package.json", import.meta.url));
  const { dependencies } = (await json(packageFile)) as { dependencies: Record<string, string> };
  expect(await json(path.join(imageFolder, "image-versions.json"))).toMatchObject({
    opencode: dependencies["opencode-ai"],
  });
});
