/** What every agent is told about the place it works in. */
import { workspaceRoot, type WorkspaceRepository } from "#contracts/repository";

export const placeText = (repositories: readonly WorkspaceRepository[]): string => `# Where you are

You work inside a Proliferate sandbox: a machine of your own that is kept for this session.
${workspaceText(repositories)}
You may run any command. Nobody sits at this terminal, so never start a program that waits for input.`;

const workspaceText = (repositories: readonly WorkspaceRepository[]): string => {
  const [first] = repositories;
  if (first === undefined) return "The current folder is an empty git repository.";
  if (first.path === workspaceRoot) return `The current folder is a clone of ${nameOf(first)}.`;
  const lines = repositories.map((repository) => `- \`${repository.path}\`: ${nameOf(repository)}`);
  return `The current folder holds these clones:\n${lines.join("\n")}`;
};

/** The last two parts of the address, without credentials that somebody may have put into it. */
const nameOf = ({ url }: WorkspaceRepository): string =>
  url
    .replace(/\.git\/?$/, "")
    .split(/[/:]/)
    .filter((part) => part !== "" && !part.includes("@"))
    .slice(-2)
    .join("/");
