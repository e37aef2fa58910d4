/** Makes the `proliferate` command one file that needs nothing but Node. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundlePty } from "./bundle-pty.ts";

let bundled: Promise<string> | null = null;

/**
 * The command as the text of an ES module. The sources do not change while the
 * program runs, so they are bundled once.
 */
export const bundleCli = (): Promise<string> => {
  bundled ??= bundle().catch((error: unknown) => {
    bundled = null; // The next boot tries again.
    throw error;
  });
  return bundled;
};

const bundle = async (): Promise<string> => {
  const source = fileURLToPath(new URL("./cli/main.ts", import.meta.url));
  // A production build has only the compiled file.
  const fromSource = existsSync(source);
  const result = await build({
    entryPoints: [fromSource ? source : fileURLToPath(new URL("./cli/main.js", import.meta.url))],
    conditions: fromSource ? ["proliferate-source"] : [],
    bundle: true,
    minify: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "esm",
    plugins: [bundlePty()],
    // Some libraries are CommonJS and call `require` for Node's own modules.
    banner: {
      js: `import { createRequire } from "node:module";const require = createRequire(import.meta.url);`,
    },
  });
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error("esbuild made no file.");
  return file.text;
};
