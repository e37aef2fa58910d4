import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("is one bundle for browsers, with nothing of Node or of the server in it", async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("index.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    // Modules of Node cannot be resolved for it.
    platform: "browser",
    conditions: ["proliferate-source"],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const own = Object.keys(metafile.inputs).filter((path) => !path.includes("node_modules"));
  expect(own.filter((path) => !/^(?:contracts|services\/client)\//.test(path))).toEqual([]);
  const source = Buffer.from(outputFiles[0]!.text).toString("base64");
  const library = (await import(`data:text/javascript;base64,${source}`)) as object;
  expect(library).toMatchObject({
    createClient: expect.any(Function) as unknown,
    watchSession: expect.any(Function) as unknown,
  });
});
