/** Where a session's repository is pushed to, and with which credential. */
import { DomainError, isDomainError } from "#contracts/errors";
import type { OrganizationId } from "#contracts/ids";
import type { WorkspaceRepository } from "#contracts/repository";
import type { GitPushRequest } from "#contracts/sandbox/git";
import { getCredentials } from "../integrations/connections/credentials.ts";
import type { VendorCredentials } from "../integrations/vendor/vendor.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { hasConnection } from "../sessions/connections/granted-connections.ts";
import type { ExistingSession } from "../sessions/aggregate/state.ts";

/** A repository on GitHub. */
export interface GithubRepository {
  readonly owner: string;
  readonly repo: string;
}

export interface Remote {
  readonly repository: WorkspaceRepository;
  readonly push: GitPushRequest;
  /**
   * With the credentials of the organisation; null where it has connected none for this host, and for a
   * session that was created without GitHub.
   */
  readonly github: (GithubRepository & { readonly credentials: VendorCredentials }) | null;
}

/** Branches that everybody builds on, beside the one that the session began with. */
const commonBranches = ["main", "master"];

/**
 * The addresses and branches are those of the session, not those of the repository's own configuration: the
 * agent writes that.
 *
 * @param path the repository's folder below the workspace
 * @throws DomainError `git_remote_unknown` for a repository that the session did not begin with
 */
export const remoteOf = async (
  secrets: Secrets,
  organization: OrganizationId,
  session: ExistingSession,
  path: string,
): Promise<Remote> => {
  const { repositories } = session;
  const repository = repositories.find((known) => known.path === path);
  if (!repository) {
    throw new DomainError("git_remote_unknown", "The session began with no such repository.", {
      fields: { repo: path, known: repositories.map((known) => known.path) },
    });
  }
  const { url, ref } = repository;
  const credentials = hasConnection(session, "github")
    ? await githubCredentials(secrets, organization)
    : null;
  const place = credentials && githubRepositoryOf(url, credentials.baseUrl);
  return {
    repository,
    push: {
      url,
      protectedBranches: ref === "HEAD" ? commonBranches : [ref, ...commonBranches],
      credential: place && { username: "x-access-token", password: credentials.token },
    },
    github: place && { ...place, credentials },
  };
};

/**
 * The repository that a web address names on the host which the credentials are for, and nowhere else.
 * @param apiUrl of the API; null for github.com
 */
export const githubRepositoryOf = (url: string, apiUrl: string | null): GithubRepository | null => {
  const address = URL.canParse(url) ? new URL(url) : null;
  const api = apiUrl === null ? "api.github.com" : new URL(apiUrl).host;
  const host = api === "api.github.com" ? "github.com" : api;
  // A credential goes over the wire in the open without TLS; only a server of this machine may do so.
  const safe = address?.protocol === "https:" || address?.hostname === "127.0.0.1";
  if (!address || !safe || address.host !== host) return null;
  const [, owner, repo] = /^\/([\w-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(address.pathname) ?? [];
  return owner === undefined || repo === undefined ? null : { owner, repo };
};

/** Null while nobody has connected GitHub. */
const githubCredentials = async (
  secrets: Secrets,
  organization: OrganizationId,
): Promise<VendorCredentials | null> => {
  try {
    return await getCredentials(secrets, { organization, vendor: "github" });
  } catch (error) {
    if (isDomainError(error, "integration_unauthorized")) return null;
    throw error;
  }
};
