/** The tool files in a sandbox: written at every boot, gone from every snapshot. */
import { DomainError } from "#contracts/errors";
import type { SessionKind } from "#contracts/session/kind";
import type { Argv, Exec } from "../provider/exec.ts";
import { writeFiles } from "../provider/write-files.ts";
import { toolFileNames, toolFiles } from "./tool-files.ts";

/** Below the folder that OpenCode starts in, which is where it looks for tools. */
const toolFolder = ".opencode/tool";

/** Ours, and nothing that the repository may have in the same folder. */
const toolPaths = toolFileNames.map((name) => `${toolFolder}/${name}`);

/**
 * Removes the tools of whatever session the files come from, and writes those of this kind.
 * @param exec runs in the workspace
 * @throws DomainError `sandbox_unavailable`
 */
export const writeToolFiles = async (exec: Exec, kind: SessionKind): Promise<void> => {
  const { exitCode, stderr } = await exec(scrubTools);
  if (exitCode !== 0) {
    throw new DomainError("sandbox_unavailable", `The agent's tools: ${stderr.trim()}`);
  }
  const files = await toolFiles(kind);
  await writeFiles(
    exec,
    files.map(({ name, content }) => ({ path: `${toolFolder}/${name}`, content })),
  );
};

/**
 * The program that removes the tool files, to be run in the workspace: a sandbox of another kind may be
 * restored from its snapshot. A server that runs has its tools in memory and goes on with them.
 */
export const scrubTools: Argv = ["rm", "-f", "--", ...toolPaths];

/** What a repository must not show as a change of its own. */
export const toolExclusions: readonly string[] = toolPaths.map((path) => `/${path}`);
