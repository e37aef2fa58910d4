import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { longFiles } from "./longest-first.ts";

it("names only files that are there: one that was moved would run last", () => {
  const root = new URL("../../", import.meta.url);
  const gone = Object.keys(longFiles).filter(
    (file) => !existsSync(fileURLToPath(new URL(file, root))),
  );
  expect(gone).toEqual([]);
});
