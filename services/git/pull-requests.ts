/** Pull requests on GitHub, asked for by the gateway itself: its credential never reaches the sandbox. */
import { DomainError } from "#contracts/errors";
import { githubOf } from "../integrations/github/client.ts";
import { github } from "../integrations/github/github.ts";
import type { Outbound } from "../integrations/outbound/outbound.ts";
import { openWire } from "../integrations/vendor/wire.ts";
import type { Remote } from "./remote.ts";

export interface WantedPullRequest {
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
  /** The branch with the changes. */
  readonly head: string;
  /** Null for the repository's default branch. */
  readonly base: string | null;
}

export interface OpenedPullRequest {
  readonly number: number;
  readonly url: string;
  readonly base: string;
}

const timeoutMs = 60_000;

/**
 * Opens a pull request, or answers the one that is open: asking twice makes one.
 * @throws DomainError `git_remote_unknown` for a repository that is not on the connected GitHub,
 * `integration_unauthorized` and others of the integration
 */
export const openPullRequestOn = async (
  outbound: Outbound,
  remote: Remote["github"],
  wanted: WantedPullRequest,
): Promise<OpenedPullRequest> => {
  if (remote === null) {
    throw new DomainError(
      "git_remote_unknown",
      "Pull requests are opened on GitHub, which has to be connected for the repository's host.",
    );
  }
  const { owner, repo, credentials } = remote;
  const signal = AbortSignal.timeout(timeoutMs);
  const wire = openWire({ outbound, vendor: github.name, reads: false, signal });
  const client = githubOf({
    token: credentials.token,
    baseUrl: (credentials.baseUrl ?? github.baseUrl).replace(/\/+$/, ""),
    fetch: wire.fetch,
    signal,
    idempotencyKey: "",
  });
  try {
    const base = wanted.base ?? (await client.repos.get({ owner, repo })).data.default_branch;
    const head = `${owner}:${wanted.head}`;
    const { data: open } = await client.pulls.list({ owner, repo, head, base, state: "open" });
    const { title, body, draft } = wanted;
    const { number, html_url } =
      open[0] ??
      (await client.pulls.create({ owner, repo, title, body, draft, head: wanted.head, base }))
        .data;
    return { number, url: html_url, base };
  } catch (error) {
    throw wire.explain(error);
  }
};
