import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const packages = new URL("../../node_modules", import.meta.url).pathname;

/**
 * Makes a program of this package into one file of JavaScript in an empty folder, and answers where it is.
 * It runs without TypeScript, as in production; what lies beside its sources is read from there.
 */
export const compileProgram = async (program: URL, folder: string): Promise<string> => {
  const outfile = join(folder, "program.mjs");
  await build({
    entryPoints: [program.pathname],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    conditions: ["proliferate-source"],
    plugins: [
      {
        name: "sources-stay-where-they-are",
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
            contents: (await readFile(path, "utf8")).replaceAll(
              "import.meta.url",
              JSON.stringify(pathToFileURL(path).href),
            ),
            loader: "ts",
          }));
        },
      },
    ],
  });
  await symlink(packages, join(folder, "node_modules"));
  return outfile;
};
