/** What the agent finds in its workspace besides the repositories: its tools, and a guide. */
import type { SessionKind } from "#contracts/session/kind";
import { actionsGuidePath as guide } from "../instructions/available-actions.ts";
import { actionsGuide } from "../instructions/command.ts";
import { toolExclusions, writeToolFiles } from "../tools/workspace-tools.ts";
import { pluginStubIn, pluginStubNames } from "./agent-files.ts";
import type { Machine } from "./machine.ts";
import { type NewFile, writeFiles } from "../provider/write-files.ts";

/** Git shows none of it as a change of the agent's, and no commit takes it along. */
export const writeWorkspaceFiles = async (machine: Machine, kind: SessionKind): Promise<void> => {
  const { workspace, files } = machine;
  // A repository that has such a folder may need the real package for its own tools.
  const ownFolder = !(await files.exists(`${workspace}/.opencode`));
  await writeToolFiles(machine.exec, kind);
  const exclusions = await exclude(machine, [
    ...toolExclusions,
    `/${guide}`,
    ...(ownFolder ? pluginStubNames.map((name) => `/.opencode/${name}`) : []),
  ]);
  await writeFiles(machine.exec, [
    ...(ownFolder ? pluginStubIn(`${workspace}/.opencode`) : []),
    { path: `${workspace}/${guide}`, content: actionsGuide },
    ...exclusions,
  ]);
};

/**
 * Git's list of what it shows nobody, with these patterns added; nothing if they are on it. Only where the
 * workspace is a repository itself; folders around several are none.
 */
const exclude = async (
  { workspace, files }: Pick<Machine, "workspace" | "files">,
  patterns: readonly string[],
): Promise<readonly NewFile[]> => {
  const path = `${workspace}/.git/info/exclude`;
  if (!(await files.exists(`${workspace}/.git/HEAD`))) return [];
  const before = Buffer.from((await files.read(path)) ?? "").toString();
  const missing = patterns.filter((pattern) => !before.split("\n").includes(pattern));
  if (missing.length === 0) return [];
  const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  return [{ path, content: `${start}${missing.join("\n")}\n` }];
};
