import { expect, it } from "vitest";
import { versionKey } from "./version-key.ts";

const parts = { salt: "1", "versions.json": '{"node":"20"}', "cli.mjs": Buffer.from("run()") };

it("is the same for the same parts, in whatever order and on whatever machine", () => {
  const { salt, ...rest } = parts;
  expect(versionKey({ ...rest, salt })).toBe(versionKey(parts));
  expect(versionKey(parts)).toBe(
    "3dc4ba47f56c447f7b1589bc7889479fe733836eacee77a4418fc5f552d1c1b8",
  );
});

it("changes with every part: its content, its name, and where it ends", () => {
  const keys = [
    parts,
    { ...parts, salt: "2" },
    { ...parts, "cli.mjs": "run( )" },
    { ...parts, more: "" },
    { ab: "c" },
    { a: "bc" },
  ].map(versionKey);
  expect(new Set(keys).size).toBe(keys.length);
});
