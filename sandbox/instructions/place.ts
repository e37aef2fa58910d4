/** What every agent is told about the place it works in. */
import { repositoryName, workspaceRoot, type WorkspaceRepository } from "#contracts/repository";

export const placeText = (repositories: readonly WorkspaceRepository[]): string => `# Where you are

You work inside a Proliferate sandbox: a machine of your own that is kept for this session.
${workspaceText(repositories)}
You may run any command. Nobody sits at this terminal, so never start a program that waits for input.`;

const workspaceText = (repositories: readonly WorkspaceRepository[]): string => {
  const [first] = repositories;
  if (first === undefined) return "The current folder is an empty git repository.";
  if (first.path === workspaceRoot)
    return `The current folder is a clone of ${repositoryName(first.url)}.`;
  const lines = repositories.map(
    (repository) => `- \`${repository.path}\`: ${repositoryName(repository.url)}`,
  );
  return `The current folder holds these clones:\n${lines.join("\n")}`;
};
