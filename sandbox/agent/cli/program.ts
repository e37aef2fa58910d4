/** The `proliferate` command's words and options. */
import { Command, InvalidArgumentError } from "commander";
import { getActionGuide, listAvailableActions } from "#contracts/http/actions";
import { addEnvCommands, type EnvPlace } from "./env-commands.ts";
import type { Gateway } from "./gateway.ts";
import { parseParams, runAction, type Console } from "./run-action.ts";
import { addServiceCommands } from "./service-commands.ts";
import type { SidecarClient } from "./sidecar-client.ts";

interface RunOptions {
  readonly integration: string;
  readonly action: string;
  readonly params: string;
  readonly timeout?: number;
  readonly wait: boolean;
}

/** What the commands work with; opened when a command needs it, so that `--help` works anywhere. */
export interface ProgramParts {
  readonly gateway: () => Gateway;
  readonly sidecar: () => SidecarClient;
  readonly envPlace: () => EnvPlace;
  /** Runs until it is told to end. */
  readonly runSidecar: (configFile: string) => Promise<void>;
}

export const program = (parts: ProgramParts, console: Console): Command => {
  const { gateway } = parts;
  const root = new Command("proliferate").description(
    "Works with the sandbox that it runs in, and with the control plane behind it.",
  );
  const actions = root
    .command("actions")
    .description("Acts on services that the organisation has connected.");

  actions
    .command("list")
    .description("Print the connected integrations and their actions as JSON.")
    .action(async () => {
      const request = { method: "GET", path: "/actions/available" } as const;
      console.out(await gateway()(request, listAvailableActions.responses[200]));
    });

  actions
    .command("guide")
    .description("Print how to use one integration.")
    .requiredOption("--integration <id>", "the integration, as `actions list` names it")
    .action(async ({ integration }: { integration: string }) => {
      const path = `/actions/guide/${encodeURIComponent(integration)}`;
      const { guide } = await gateway()({ method: "GET", path }, getActionGuide.responses[200]);
      console.text(guide);
    });

  actions
    .command("run")
    .description("Run an action and print its result as JSON; waits if it needs an approval.")
    .requiredOption("--integration <id>", "the integration, as `actions list` names it")
    .requiredOption("--action <id>", "the action, as `actions list` names it")
    .option("--params <json>", "the action's parameters as a JSON object", "{}")
    .option("--timeout <seconds>", "stop waiting after so many seconds", parseSeconds)
    .option("--no-wait", "do not wait for an approval")
    .action((options: RunOptions) =>
      runAction(
        gateway(),
        {
          integration: options.integration,
          action: options.action,
          params: parseParams(options.params),
          timeoutSeconds: options.timeout ?? null,
          wait: options.wait,
        },
        console,
      ),
    );

  addServiceCommands(root, parts.sidecar, console);
  addEnvCommands(root, parts.envPlace, console);

  root
    .command("sidecar")
    .description("Run the sandbox's sidecar; the sandbox's boot does this.")
    .requiredOption("--config <file>", "what to run, as JSON")
    .action(({ config }: { config: string }) => parts.runSidecar(config));

  return root;
};

const parseSeconds = (text: string): number => {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new InvalidArgumentError("It has to be a number of seconds above 0.");
};
