/** Puts the agent's files into its home: instructions, the `proliferate` command, git's identity. */
import type { Machine } from "./machine.ts";

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
  await Promise.all([
    machine.files.write(instructionsPath(machine), files.instructions),
    machine.files.write(cliModule, files.cli),
    machine.files.write(`${commandFolder(machine)}/proliferate`, command, { mode: 0o755 }),
    machine.files.write(`${home}/.gitconfig`, gitConfig),
    ...Object.entries(opencodePluginStub).map(([name, content]) =>
      machine.files.write(`${home}/.config/opencode/${name}`, content),
    ),
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
export const opencodePluginStub = {
  "package.json": JSON.stringify({ dependencies: pluginDependency }),
  "package-lock.json": JSON.stringify({
    lockfileVersion: 3,
    packages: { "": { dependencies: pluginDependency } },
  }),
  "node_modules/.proliferate": "No plugins are used here.\n",
};
