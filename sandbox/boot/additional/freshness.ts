/** Brings the repositories of a sandbox that comes back up to date, and remembers when. */
import pLimit from "p-limit";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { repositoryName } from "#contracts/repository";
import type { RepositorySpec } from "../../provider/spec.ts";
import { parallelTransfers, tryGit } from "../git.ts";
import type { Machine } from "../machine.ts";
import { shouldPullOnRestore } from "./freshness-policy.ts";
import type { AdditionalBoot } from "./phase.ts";

/** In the sandbox, so that it is in its snapshots too. */
const metadataPath = (machine: Pick<Machine, "home">): string =>
  `${machine.home}/.proliferate/metadata.json`;

const metadataSchema = z.object({
  version: z.literal(1),
  /** Milliseconds since 1970: when all repositories were as new as their remotes. */
  lastGitFetchAt: z.number(),
});

/** @throws DomainError `sandbox_unavailable` that names what could not be pulled; the next boot tries again */
export const refreshRepositories = async (
  { machine, spec, kept, now }: AdditionalBoot,
  signal: AbortSignal,
): Promise<void | "skipped"> => {
  const { repositories, freshness: policy } = spec;
  const startedAt = now();
  const remember = () =>
    machine.files.write(
      metadataPath(machine),
      `${JSON.stringify({ version: 1, lastGitFetchAt: startedAt })}\n`,
    );
  if (!policy || repositories.length === 0) return "skipped";
  if (!kept) {
    await remember();
    return "skipped";
  }
  const facts = { policy, kept, repositories: repositories.length, now: startedAt };
  const lastGitFetchAt = await readLastFetch(machine);
  if (!shouldPullOnRestore({ ...facts, lastGitFetchAt })) return "skipped";
  const limit = pLimit(parallelTransfers);
  const problems = await Promise.all(
    repositories.map((repository) => limit(() => pull(machine, repository, signal))),
  );
  const failed = problems.filter((problem) => problem !== null);
  if (failed.length > 0) throw new DomainError("sandbox_unavailable", failed.join("; "));
  await remember();
};

/** Null, or why it could not be pulled. Nothing of the agent's is merged or thrown away. */
const pull = async (
  machine: Machine,
  { url, path: place, credential }: RepositorySpec,
  signal: AbortSignal,
): Promise<string | null> => {
  const onBranch = ["-C", place, "symbolic-ref", "--quiet", "HEAD"];
  // Who has checked a commit out wants that commit.
  if ((await tryGit(machine, { args: onBranch, signal })).exitCode !== 0) return null;
  const args = ["-C", place, "pull", "--quiet", "--ff-only"];
  const { exitCode, stderr } = await tryGit(machine, { args, signal, credential });
  return exitCode === 0 ? null : `${repositoryName(url)} was not pulled: ${stderr.trim()}`;
};

const readLastFetch = async (machine: Machine): Promise<number | null> => {
  const content = await machine.files.read(metadataPath(machine));
  if (content === null) return null;
  try {
    const text = Buffer.from(content).toString("utf8");
    return metadataSchema.parse(JSON.parse(text)).lastGitFetchAt;
  } catch {
    return null; // Changed by the agent, or of another version: it promises nothing.
  }
};
