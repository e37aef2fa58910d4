/** Pushes the branch that is checked out, to where the control plane says. */
import { DomainError } from "#contracts/errors";
import type { GitHead, GitPushRequest } from "#contracts/sandbox/git";
import { refuseWhenBusy, requireHead } from "./branches.ts";
import type { GitClientOptions } from "./git-client.ts";
import { gitFailed, type GitOutcome, tryGit } from "./git-command.ts";

const pushTimeoutMs = 5 * 60_000;

/**
 * What the repository's configuration could send a credential elsewhere with, or run while there is one.
 */
const ownSettings = [
  "credential.helper=",
  "core.askPass=",
  "core.sshCommand=ssh",
  "http.proxy=",
  "http.sslVerify=true",
  "http.followRedirects=false",
  "push.gpgSign=false",
  "push.followTags=false",
  "push.recurseSubmodules=no",
];

/**
 * Pushing what is there already changes nothing, so that it can be asked for again.
 * @throws DomainError `git_detached_head`, `git_busy`, `git_protected_branch`, `git_push_rejected`,
 * `git_credentials_refused`, `git_failed`
 */
export const push = async (
  repository: GitClientOptions,
  request: GitPushRequest,
): Promise<GitHead> => {
  await refuseWhenBusy(repository);
  const head = await requireHead(repository);
  const { branch } = head;
  if (request.protectedBranches.includes(branch)) throw branchProtected(branch);
  const outcome = await tryGit(repository, {
    args: [
      ...ownSettings.flatMap((setting) => ["-c", setting]),
      "push",
      "--porcelain",
      "--no-verify",
      request.url,
      `HEAD:refs/heads/${branch}`,
    ],
    env: {
      GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file",
      ...credentialFor(request),
    },
    timeoutMs: pushTimeoutMs,
  });
  if (outcome.exitCode !== 0) throw refusalOf(outcome, branch);
  await rememberPushed(repository, head);
  return head;
};

/**
 * In the environment of this one command: no file and no command line holds it, and git hands it to that
 * host only, whatever the repository's configuration rewrites the address to.
 */
const credentialFor = ({ url, credential }: GitPushRequest): Record<string, string> => {
  if (credential === null || !/^https?:/.test(url)) return {};
  const basic = Buffer.from(`${credential.username}:${credential.password}`).toString("base64");
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
};

const branchProtected = (branch: string): DomainError =>
  new DomainError(
    "git_protected_branch",
    `Nothing is pushed to ${branch}; create a branch first.`,
    {
      fields: { branch },
    },
  );

/** Git's exit codes do not tell these apart; its texts do, in the language that is set here. */
const refusalOf = (outcome: GitOutcome, branch: string): DomainError => {
  const { stdout, stderr } = outcome;
  const said = `${stdout}\n${stderr}`;
  if (/protected branch|GH006/i.test(said)) return branchProtected(branch);
  if (/^!.*\[(?:remote )?rejected\]/m.test(stdout)) {
    return new DomainError(
      "git_push_rejected",
      "The remote has commits that are not here, or refuses the push.",
      {
        fields: { branch },
      },
    );
  }
  if (
    /Authentication failed|could not read (?:Username|Password)|HTTP (?:401|403)|returned error: 40[13]/.test(
      stderr,
    )
  ) {
    return new DomainError(
      "git_credentials_refused",
      "The remote does not accept the credentials.",
    );
  }
  return gitFailed(outcome);
};

/** So that the status counts from here on. A repository without this remote has nothing to remember. */
const rememberPushed = async (
  repository: GitClientOptions,
  { branch, commit }: GitHead,
): Promise<void> => {
  const remembered = `refs/remotes/origin/${branch}`;
  await tryGit(repository, { args: ["update-ref", remembered, commit] });
  await tryGit(repository, { args: ["branch", "--quiet", `--set-upstream-to=origin/${branch}`] });
};
