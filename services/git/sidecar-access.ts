/** How the processes that people talk to reach the sidecars of sandboxes. */
import { deriveSandboxToken } from "#sandbox/token";
import type { Platform } from "../platform.ts";
import { createFindEndpoints } from "../proxies/find-endpoints.ts";
import type { SidecarGitDeps } from "./sidecar-git.ts";

export const openSidecarAccess = ({
  store,
  log,
  config,
  keys,
}: Pick<Platform, "store" | "log" | "config" | "keys">): SidecarGitDeps => ({
  findEndpoints: createFindEndpoints({ store, log, defaultModel: config.MODEL }),
  sidecarToken: ({ sessionId, organizationId }) =>
    deriveSandboxToken({ secret: keys.sandboxTokens, sessionId, organizationId }),
});
