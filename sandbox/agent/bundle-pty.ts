/**
 * An esbuild plugin that puts node-pty's native part into the bundle. At run time it is written into a new
 * private folder, loaded, and removed: the loaded program does not need its file any more.
 */
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** Those that a sandbox may run on. A machine has the packages of its own kind, and perhaps others. */
const platforms = ["linux-x64", "linux-arm64"];

export const bundlePty = (): Plugin => ({
  name: "bundle-pty",
  setup: (build) => {
    // node-pty loads its native part through this module of its own.
    build.onLoad({ filter: /node-pty[\\/]requireBinary\.js$/ }, async () => ({
      contents: loader(await nativeParts()),
      loader: "js",
    }));
  },
});

const nativeParts = async (): Promise<Record<string, string>> => {
  const { resolve } = createRequire(import.meta.url);
  const parts: Record<string, string> = {};
  for (const platform of platforms) {
    try {
      const file = await readFile(resolve(`@lydell/node-pty-${platform}/pty.node`));
      parts[platform] = file.toString("base64");
    } catch {
      // Not installed: a sandbox of this kind has no terminals, and says so.
    }
  }
  return parts;
};

const loader = (parts: Readonly<Record<string, string>>): string => `
const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const parts = ${JSON.stringify(parts)};
exports.requireBinary = () => {
  const part = parts[process.platform + "-" + process.arch];
  if (part === undefined) throw new Error("no native part for this machine");
  const folder = mkdtempSync(join(tmpdir(), "proliferate-pty-"));
  try {
    const file = join(folder, "pty.node");
    writeFileSync(file, Buffer.from(part, "base64"), { mode: 0o700 });
    const loaded = { exports: {} };
    process.dlopen(loaded, file);
    return loaded.exports;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
`;
