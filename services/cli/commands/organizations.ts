import { userInfo } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import type { OrganizationCommand } from "#contracts/organization/commands";
import { autoDeleteDaysSchema } from "#contracts/organization/view";
import { maxAutoDeleteDays } from "#contracts/session/limits";
import { newCommandMeta } from "#event-store/command-meta";
import { changeOrganization } from "../../organization/commands.ts";
import { type CliContext, withLog } from "../context.ts";
import { requireKnownOrganization } from "../known-organization.ts";
import { organizationArgument } from "./audit/options.ts";

/** `organizations auto-delete`: what owners and admins set over HTTP, for operators. */
export const addOrganizationCommands = (program: Command, context: CliContext): void => {
  const organizations = program
    .command("organizations")
    .description("what organisations have decided for all of their sessions");
  organizations
    .command("auto-delete")
    .description("after how many days without use an organisation's sessions are deleted")
    .argument("<organization>", "its id, org_…", organizationArgument)
    .argument(
      "<days>",
      "a number of days, never, or deployment to follow the deployment",
      parseWish,
    )
    .option("--by <name>", "who wants it; it is kept", userInfo().username)
    .action((organization: string, wish: Wish, { by }: { by: string }) =>
      withLog(context, async (store) => {
        const known = await requireKnownOrganization(store, organization);
        const actor = { kind: "user", id: by, via: "cli" } as const;
        await changeOrganization(store, known, wish.command, newCommandMeta({ actor }));
        context.print(wish.done);
      }),
    );
};

interface Wish {
  readonly command: OrganizationCommand;
  /** What is said once it is done. */
  readonly done: string;
}

const parseWish = (text: string): Wish => {
  if (text === "deployment") {
    const command = { type: "ClearAutoDeleteDefault" } as const;
    return { command, done: "Its sessions are deleted as the deployment says." };
  }
  const days = autoDeleteDaysSchema.safeParse(text === "never" ? null : Number(text));
  if (!days.success) {
    throw new InvalidArgumentError(
      `It is a number from 1 to ${maxAutoDeleteDays}, "never" or "deployment".`,
    );
  }
  const done =
    days.data === null
      ? "Its sessions are kept, but for those with a rule of their own."
      : `Its sessions are deleted after ${days.data} days without use, but for those with a rule of their own.`;
  return { command: { type: "SetAutoDeleteDefault", days: days.data }, done };
};
