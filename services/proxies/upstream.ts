/** Where a proxied request goes. Only ever to the endpoints of the ticket's own session. */
import { DomainError } from "#contracts/errors";
import type { ProxyTarget } from "#contracts/proxies/target";
import type { SandboxEndpoints } from "#contracts/sandbox/endpoints";

export interface Upstream {
  readonly url: URL;
  /** The root of the target. */
  readonly base: URL;
  /** Put in place of the client's own. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface UpstreamDeps {
  readonly endpoints: SandboxEndpoints;
  readonly sidecarToken: string;
  readonly reachedAt: { readonly host: string; readonly prefix: string };
}

/** What of the agent's server is passed on. Its configuration is not: the model's key is in it. */
const agentPaths =
  /^\/(?:session|event|find|file|path|vcs|agent|command|question|permission|global\/(?:health|event))(?:\/|$)/;
/** Selects another folder than the workspace. */
const steering = ["directory", "workspace"];

/**
 * @param pathAndQuery what follows the ticket's path, beginning with `/`
 * @param sidecarToken the bearer token of the session's sidecar
 * @param reachedAt host and path that stand for the target's root in the client's browser
 * @throws DomainError `not_found` for a path that leaves the target or is not passed on
 */
export const upstreamOf = (
  target: ProxyTarget,
  pathAndQuery: string,
  { endpoints, sidecarToken, reachedAt }: UpstreamDeps,
): Upstream => {
  switch (target) {
    case "preview":
      return { ...below(endpoints.preview, pathAndQuery), headers: {} };
    case "sidecar":
      return {
        ...below(endpoints.sidecar, pathAndQuery),
        headers: { authorization: `Bearer ${sidecarToken}` },
      };
    case "vscode":
      return {
        ...below(`${endpoints.sidecar}/vscode`, pathAndQuery),
        headers: {
          authorization: `Bearer ${sidecarToken}`,
          // By these openvscode-server writes its pages' addresses; code-server's are relative.
          "x-forwarded-host": reachedAt.host,
          "x-forwarded-prefix": reachedAt.prefix,
        },
      };
    case "opencode": {
      const { baseUrl, authorization } = endpoints.opencode;
      const { url, base } = below(baseUrl, pathAndQuery);
      if (!agentPaths.test(pathOf(pathAndQuery))) throw nothing();
      for (const name of steering) url.searchParams.delete(name);
      return { url, base, headers: { authorization } };
    }
  }
};

/** Servers on the way read `..` in several spellings, and would find another program than was meant. */
const below = (base: string, pathAndQuery: string): Pick<Upstream, "url" | "base"> => {
  if (decoded(pathOf(pathAndQuery)).split(/[/\\]/).includes("..")) throw nothing();
  return { url: new URL(`${base}${pathAndQuery}`), base: new URL(base) };
};

const pathOf = (pathAndQuery: string): string => pathAndQuery.split("?", 1)[0] ?? "";

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw new DomainError("request_malformed", "The path cannot be read.", { cause: error });
  }
};

const nothing = (): DomainError =>
  new DomainError("not_found", "There is nothing of this name behind the proxy.");
