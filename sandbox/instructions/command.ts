/** What every agent is told about the `proliferate` command. */
import { envFileVariable } from "#contracts/sandbox/environment";

export const servicesText = `# Services

Start long-running programs (web servers, databases, watchers) with the command \`proliferate services\`, so
that they are watched, restarted and can be seen by people:

- \`proliferate services start --name <name> --command '<command>' [--cwd <folder>]\`
- \`proliferate services list\`, \`stop\`, \`restart\` and \`logs\`, the last three with \`--name <name>\`
- \`proliferate services expose --port <port>\` shows a port to the people who watch the session.`;

export const environmentText = `# Environment variables and secrets

If something needs a value that you do not have, call the tool \`request_env_variables\`. The answers arrive in
the file \`$${envFileVariable}\`, a JSON object. Take single keys out of it with \`jq -r '.KEY' "$${envFileVariable}"\` straight into the
file that needs them. Never print that file, never repeat a value in the conversation, and never commit one.
\`proliferate env apply --spec '<json>'\` writes the configured files anew, and \`proliferate env scrub\` removes
those that hold secrets; both keep them out of git.`;

const actions = `# Acting outside

The command \`proliferate actions\` reaches the services that the organisation has connected.
Credentials stay with the control plane: never ask for keys of a connected service, and never look for any.

- \`proliferate actions list\` shows what is connected and which actions there are.
- \`proliferate actions guide --integration <name>\` explains one integration.
- \`proliferate actions run --integration <name> --action <name> --params '<json>'\` runs an action and
  prints its result as JSON. Some actions wait for a person's approval; the command waits with you, so
  give it at least six minutes.
  If it was denied or has expired, do not try it again: say so and go on without it.`;

export const actionsText = `${actions}

The same is in \`.proliferate/actions-guide.md\`.`;

/** The guide that is put into the workspace, for agents that look there. */
export const actionsGuide = `You are inside a Proliferate sandbox.

${actions}

People can drive their own machine in the same way with \`npx @proliferate/cli\`.
`;
