/**
 * Programs of this package as one file of JavaScript each: for benchmarks, which measure them as they run in
 * production, and for tests that start them again and again. To load half of the package's sources one by one
 * takes a second of CPU each time.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const packageFolder = fileURLToPath(new URL("../../", import.meta.url));
/** Below the package, where the files find the libraries that they import; no commit takes it along. */
const folder = join(packageFolder, ".cache/programs");

const bundled = new Map<string, Promise<string>>();

/**
 * Made once in this process, of the sources as they are then.
 * @param program a module of this package
 * @returns the path of a file for Node, which needs no flags
 */
export const bundledProgram = (program: URL): Promise<string> => {
  const known = bundled.get(program.href);
  if (known) return known;
  const made = bundle(fileURLToPath(program));
  bundled.set(program.href, made);
  return made;
};

const bundle = async (source: string): Promise<string> => {
  const path = join(folder, `${relative(packageFolder, source)}.mjs`);
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    write: false,
    outfile: path,
    // Beside it: nobody reads it who does not ask for it.
    sourcemap: "linked",
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    conditions: ["proliferate-source"],
    plugins: [ownAddresses],
  });
  await mkdir(dirname(path), { recursive: true });
  for (const output of outputFiles) {
    // Other workers may write the same, or read it while this one writes.
    const draft = `${output.path}.${randomUUID()}`;
    await writeFile(draft, output.contents);
    await rename(draft, output.path);
  }
  return path;
};

/** Each module finds the files beside it where they are, and not beside the bundle. */
const ownAddresses: Plugin = {
  name: "own-addresses",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const address = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll("import.meta.url", address), loader: "ts" };
    });
  },
};
