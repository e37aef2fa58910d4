import { InvalidArgumentError, type Command } from "commander";
import { DomainError } from "#contracts/errors";
import { repositorySchema } from "#contracts/repository";
import type { SandboxProvider } from "#sandbox/provider/provider";
import type { RepositorySpec } from "#sandbox/provider/spec";
import { createProvider } from "#sandbox/providers/create-provider";
import {
  buildBaseSnapshot,
  buildConfigurationSnapshot,
  type SnapshotBuilder,
} from "#sandbox/providers/modal/snapshot-build";
import { modalSettings } from "../../sandboxes/modal-settings.ts";
import { snapshotVersion } from "../../sandboxes/snapshot-version.ts";
import type { CliContext } from "../context.ts";

interface ConfigurationOptions {
  readonly repository: readonly RepositorySpec[];
  readonly run: readonly string[];
}

/** `sandbox snapshots version|build-base|build-configuration`: snapshots on Modal, made beforehand. */
export const addSandboxCommands = (program: Command, context: CliContext): void => {
  const snapshots = program
    .command("sandbox")
    .description("where agents run")
    .command("snapshots")
    .description("snapshots on Modal that new sandboxes start from");
  snapshots
    .command("version")
    .description("names what a base snapshot would have baked in now")
    .action(async () => context.print(await snapshotVersion()));
  snapshots
    .command("build-base")
    .description("programs only; for MODAL_BASE_SNAPSHOT_ID")
    .action(() =>
      onModal(context, async (provider) => {
        const version = await snapshotVersion();
        context.print(JSON.stringify({ snapshotId: await buildBaseSnapshot(provider), version }));
      }),
    );
  snapshots
    .command("build-configuration")
    .description("programs and repositories")
    .requiredOption(
      "--repository <[path=]url[#ref]>",
      "one that needs no credential; HEAD in the workspace itself by default; repeatable",
      addRepository,
      [],
    )
    .option("--run <command>", "for a shell in the workspace; repeatable", append, [])
    .action(({ repository, run }: ConfigurationOptions) =>
      onModal(context, async (provider) => {
        const build = { repositories: repository, commands: run };
        const snapshotId = await buildConfigurationSnapshot(provider, build);
        context.print(JSON.stringify({ snapshotId }));
      }),
    );
};

const append = (value: string, before: readonly string[]): string[] => [...before, value];

/** As in `apps/web=https://host/web.git#main`. */
const addRepository = (text: string, before: readonly RepositorySpec[]): RepositorySpec[] => {
  const [, path = ".", url, ref] = /^(?:([\w./-]+)=)?([^#]+)(?:#(.+))?$/.exec(text) ?? [];
  const parsed = repositorySchema.safeParse({ url, ref });
  if (!parsed.success) throw new InvalidArgumentError("It is no repository's address.");
  return [...before, { ...parsed.data, path }];
};

const onModal = async (
  { config }: CliContext,
  work: (provider: SnapshotBuilder) => Promise<void>,
): Promise<void> => {
  if (config.SANDBOX_PROVIDER !== "modal") {
    throw new DomainError(
      "sandbox_operation_unsupported",
      "Snapshots are built beforehand on Modal only; set SANDBOX_PROVIDER=modal.",
    );
  }
  await using provider = await createProvider("modal", modalSettings(config));
  await work(builderOf(provider));
};

const builderOf = (provider: SandboxProvider): SnapshotBuilder => {
  const { execCommand } = provider;
  if (execCommand !== undefined) return { ...provider, execCommand };
  throw new DomainError("sandbox_operation_unsupported", "The provider runs no commands.");
};
