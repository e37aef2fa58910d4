/** What the agent finds in its workspace besides the repositories: its tools, and a guide. */
import type { SessionKind } from "#contracts/session/kind";
import { actionsGuidePath as guide } from "../instructions/available-actions.ts";
import { actionsGuide } from "../instructions/command.ts";
import { toolExclusions, writeToolFiles } from "../tools/workspace-tools.ts";
import { opencodePluginStub } from "./agent-files.ts";
import type { Machine } from "./machine.ts";

/** Git shows none of it as a change of the agent's, and no commit takes it along. */
export const writeWorkspaceFiles = async (machine: Machine, kind: SessionKind): Promise<void> => {
  const { workspace, files } = machine;
  // A repository that has such a folder may need the real package for its own tools.
  const ownFolder = !(await files.exists(`${workspace}/.opencode`));
  await writeToolFiles(machine.exec, kind);
  if (ownFolder) {
    await Promise.all(
      Object.entries(opencodePluginStub).map(([name, content]) =>
        files.write(`${workspace}/.opencode/${name}`, content),
      ),
    );
  }
  await files.write(`${workspace}/${guide}`, actionsGuide);
  await exclude(machine, [
    ...toolExclusions,
    `/${guide}`,
    ...(ownFolder ? Object.keys(opencodePluginStub).map((name) => `/.opencode/${name}`) : []),
  ]);
};

/** Only where the workspace is a repository itself; folders around several are none. */
const exclude = async (
  { workspace, files }: Pick<Machine, "workspace" | "files">,
  patterns: readonly string[],
): Promise<void> => {
  const file = `${workspace}/.git/info/exclude`;
  if (!(await files.exists(`${workspace}/.git/HEAD`))) return;
  const before = (await files.exists(file)) ? Buffer.from(await files.read(file)).toString() : "";
  const missing = patterns.filter((pattern) => !before.split("\n").includes(pattern));
  if (missing.length === 0) return;
  const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  await files.write(file, `${start}${missing.join("\n")}\n`);
};
