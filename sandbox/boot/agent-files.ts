/** Puts the agent's files into its home: instructions, the `proliferate` command, git's identity. */
import type { Machine } from "./machine.ts";
import { type NewFile, writeFiles } from "../provider/write-files.ts";

export const instructionsPath = (machine: Pick<Machine, "home">): string =>
  `${machine.home}/.proliferate/instructions.md`;

/** Outside the workspace, where no commit takes it along. */
export const envFilePath = (machine: Pick<Machine, "home">): string =>
  `${machine.home}/.proliferate/env.json`;

/** First in PATH for everything that runs inside. */
export const commandFolder = (machine: Pick<Machine, "home">): string =>
  `${machine.home}/.local/bin`;

export interface AgentFiles {
  readonly instructions: string;
  /** The `proliferate` command as one ES module. */
  readonly cli: string;
}

export const writeAgentFiles = async (machine: Machine, files: AgentFiles): Promise<void> => {
  const { home } = machine;
  const cliModule = `${home}/.local/lib/proliferate.mjs`;
  // Without its extension Node would guess from folders above what kind of module it is.
  const command = `#!/bin/sh\nexec node "${cliModule}" "$@"\n`;
  await writeFiles(machine.exec, [
    { path: instructionsPath(machine), content: files.instructions },
    { path: cliModule, content: files.cli },
    { path: `${commandFolder(machine)}/proliferate`, content: command, mode: 0o755 },
    { path: `${home}/.gitconfig`, content: gitConfig },
    ...pluginStubIn(`${home}/.config/opencode`),
  ]);
};

/** The clone may belong to another user id than the one inside; git would refuse to touch it. */
const gitConfig = `[user]
\tname = Proliferate Agent
\temail = agent@proliferate.invalid
[safe]
\tdirectory = *
[advice]
\tdetachedHead = false
`;

/**
 * OpenCode installs its plugin package (63 MB) into its configuration folder unless that looks done.
 * We put no plugins there, so it only has to look done.
 */
const pluginDependency = { "@opencode-ai/plugin": "*" };
const pluginStub = {
  "package.json": JSON.stringify({ dependencies: pluginDependency }),
  "package-lock.json": JSON.stringify({
    lockfileVersion: 3,
    packages: { "": { dependencies: pluginDependency } },
  }),
  "node_modules/.proliferate": "No plugins are used here.\n",
};
export const pluginStubNames: readonly string[] = Object.keys(pluginStub);

/** @param folder one in which OpenCode looks for its configuration */
export const pluginStubIn = (folder: string): readonly NewFile[] =>
  Object.entries(pluginStub).map(([name, content]) => ({ path: `${folder}/${name}`, content }));
