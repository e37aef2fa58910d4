import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lockFolder } from "./folder-lock.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "folder-lock-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

it("refuses a folder that is in use, and gives it again once it is released", async () => {
  const data = join(folder, "data");
  const first = await lockFolder(data, 0);
  await expect(lockFolder(data, 0)).rejects.toMatchObject({ code: "configuration_invalid" });
  const other = await lockFolder(join(folder, "other"), 0);

  const waiting = lockFolder(data, 30_000);
  await first.release();
  await (await waiting).release();
  await other.release();
});
