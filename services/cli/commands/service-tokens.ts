import { type Command, InvalidArgumentError } from "commander";
import { idSchema, type OrganizationId, type ServiceTokenId } from "#contracts/ids";
import { programNameSchema } from "#contracts/identity/program-name";
import { type ServiceScope, serviceScopeSchema } from "#contracts/identity/service-scope";
import {
  openServiceTokens,
  type ServiceToken,
  type ServiceTokens,
} from "../../identity/service-tokens/service-tokens.ts";
import { type CliContext, requireKeys, withLogAndDatabase } from "../context.ts";
import { byOption, operator } from "../operator.ts";
import { tablePrinter } from "../output/table.ts";
import { schemaArgument } from "../schema-argument.ts";

const dayMs = 24 * 60 * 60 * 1000;

interface ByOption {
  readonly by: string;
}

interface IssueOptions extends ByOption {
  readonly name: string;
  readonly scopes: readonly ServiceScope[];
  readonly days: number;
}

/** `service-tokens issue|list|revoke`: what lets other programs in. */
export const addServiceTokenCommands = (program: Command, context: CliContext): void => {
  const tokens = program.command("service-tokens").description("what lets other programs in");
  tokens
    .command("issue")
    .description("prints a new token, which is not shown again")
    .argument("<organization>", "its id, org_…", organizationId)
    .requiredOption("--name <name>", "of the program", programName)
    .option("--scopes <scopes>", "separated by commas", scopesOf, ["read"])
    .option("--days <days>", "until it expires, 1 to 365", days, 90)
    .option(...byOption)
    .action((organization: OrganizationId, options: IssueOptions) =>
      withServiceTokens(context, async ({ issue }) => {
        const { name, scopes } = options;
        const expiresAt = new Date(Date.now() + options.days * dayMs);
        const order = { organizationId: organization, name, scopes, expiresAt };
        const { token } = await issue({ ...order, by: operator(options.by) });
        context.print(token);
      }),
    );
  tokens
    .command("list")
    .description("all that an organisation ever had")
    .argument("<organization>", "its id, org_…", organizationId)
    .action((organization: OrganizationId) =>
      withServiceTokens(context, async ({ list }) => {
        const print = tablePrinter(context.print, columns);
        for (const token of await list(organization)) print(token);
      }),
    );
  tokens
    .command("revoke")
    .description("lets nobody in with it from now on")
    .argument("<token>", "its id, svt_…", tokenId)
    .option(...byOption)
    .action((id: ServiceTokenId, options: ByOption) =>
      withServiceTokens(context, async ({ revoke }) => {
        const revoked = await revoke(id, operator(options.by));
        context.print(revoked ? "Revoked." : "There is no such token to be revoked.");
      }),
    );
};

const withServiceTokens = (
  context: CliContext,
  work: (tokens: ServiceTokens) => Promise<void>,
): Promise<void> =>
  withLogAndDatabase(context, async ({ store, sql }) => {
    const keys = await requireKeys(context);
    await work(await openServiceTokens({ store, sql, key: keys.serviceTokens }));
  });

const columns = [
  { title: "token", width: 30, text: ({ id }: ServiceToken) => id },
  { title: "program", width: 20, text: ({ name }: ServiceToken) => name },
  { title: "scopes", width: 14, text: ({ scopes }: ServiceToken) => scopes.join(",") },
  {
    title: "issued by",
    width: 14,
    text: ({ issuedBy }: ServiceToken) => issuedBy ?? "-",
  },
  { title: "expires", width: 24, text: (token: ServiceToken) => token.expiresAt.toISOString() },
  {
    title: "revoked",
    width: 0,
    text: ({ revokedAt, revokedBy }: ServiceToken) =>
      revokedAt === null ? "-" : `${revokedAt.toISOString()} by ${revokedBy ?? "somebody"}`,
  },
];

const organizationId = schemaArgument(idSchema("organization"), "an organisation's id, org_…");
const tokenId = schemaArgument(idSchema("service_token"), "a token's id, svt_…");

const programName = schemaArgument(programNameSchema, "up to 40 small letters, digits and hyphens");

const scopesOf = (text: string): readonly ServiceScope[] => {
  const known = schemaArgument(serviceScopeSchema, serviceScopeSchema.options.join(" or "));
  return [...new Set(text.split(",").map((scope) => known(scope.trim())))];
};

const days = (text: string): number => {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 365) return count;
  throw new InvalidArgumentError("It has to be a number from 1 to 365.");
};
