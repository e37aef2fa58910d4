/** The tool files in a sandbox: written at every boot, gone from every snapshot. */
import type { SessionKind } from "#contracts/session/kind";
import type { Argv, Exec, SandboxFiles } from "../provider/exec.ts";
import { toolFileNames, toolFiles } from "./tool-files.ts";

interface Workspace {
  /** An absolute path inside. */
  readonly workspace: string;
  readonly files: SandboxFiles;
  readonly exec: Exec;
}

/** Below the folder that OpenCode starts in, which is where it looks for tools. */
const toolFolder = ".opencode/tool";

/** Ours, and nothing that the repository may have in the same folder. */
const toolPaths = toolFileNames.map((name) => `${toolFolder}/${name}`);

/** Removes the tools of whatever session the files come from, and writes those of this kind. */
export const writeToolFiles = async (
  { workspace, files, exec }: Workspace,
  kind: SessionKind,
): Promise<void> => {
  await exec(scrubTools, { cwd: workspace });
  await Promise.all(
    (await toolFiles(kind)).map(({ name, content }) =>
      files.write(`${workspace}/${toolFolder}/${name}`, content),
    ),
  );
};

/**
 * The program that removes the tool files, to be run in the workspace: a sandbox of another kind may be
 * restored from its snapshot. A server that runs has its tools in memory and goes on with them.
 */
export const scrubTools: Argv = ["rm", "-f", "--", ...toolPaths];

/** What a repository must not show as a change of its own. */
export const toolExclusions: readonly string[] = toolPaths.map((path) => `/${path}`);
