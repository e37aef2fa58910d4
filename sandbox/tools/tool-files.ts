/** The tool files of a sandbox, generated from the schemas by which the gateway checks calls. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { z } from "zod";
import type { SessionKind } from "#contracts/session/kind";
import { type AgentTool, agentTools, type ToolName, toolsOf } from "#contracts/tools/registry";
import type { ToolDescription } from "./tool-module.ts";

export interface ToolFile {
  /** Of the file, in OpenCode's folder for tools. */
  readonly name: string;
  readonly content: string;
}

const bundled = new Map<string, Promise<string>>();

/**
 * The files for a session of this kind: per tool a module that needs no import, and its description as
 * text. The name of the module is the name of the tool.
 */
export const toolFiles = async (kind: SessionKind): Promise<readonly ToolFile[]> => {
  const files = await Promise.all(
    toolsOf(kind).map(async (tool): Promise<ToolFile[]> => [
      { name: `${tool.name}.ts`, content: await moduleOf(tool) },
      { name: `${tool.name}.txt`, content: `${tool.description}\n` },
    ]),
  );
  return files.flat();
};

/** The names of all files that any kind of session may have. */
export const toolFileNames: readonly string[] = (Object.keys(agentTools) as ToolName[]).flatMap(
  (name) => [`${name}.ts`, `${name}.txt`],
);

const moduleOf = (tool: AgentTool): Promise<string> => {
  const known = bundled.get(tool.name);
  if (known) return known;
  const made = bundle(descriptionOf(tool)).catch((error: unknown) => {
    bundled.delete(tool.name); // The next boot tries again.
    throw error;
  });
  bundled.set(tool.name, made);
  return made;
};

const descriptionOf = ({
  name,
  toolSchemaVersion,
  description,
  args,
}: AgentTool): ToolDescription => {
  const { properties = {}, required = [] } = z.toJSONSchema(args, { io: "input" });
  const described = Object.entries(properties).map(([key, schema]): [string, unknown] => {
    if (typeof schema === "boolean" || required.includes(key)) return [key, schema];
    // OpenCode takes the arguments one by one, so each has to say for itself that it may be left out.
    return [key, { ...schema, description: `Optional. ${schema.description ?? ""}`.trim() }];
  });
  return { name, toolSchemaVersion, description, args: Object.fromEntries(described) };
};

const bundle = async (description: ToolDescription): Promise<string> => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  // A production build has only the compiled file.
  const module = existsSync(`${folder}tool-module.ts`) ? "./tool-module.ts" : "./tool-module.js";
  const result = await build({
    stdin: {
      contents: `import { toolModule } from "${module}";
export default toolModule(${JSON.stringify(description)}, process.env);`,
      resolveDir: folder,
    },
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: { js: "// Written by Proliferate at every boot; changes are lost." },
  });
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error("esbuild made no file.");
  return file.text;
};
