import { z } from "zod";

/**
 * What of a sandbox is reached through the gateway: its tools, what the agent builds, the agent's server, and
 * VS Code on its files.
 */
export const proxyTargetSchema = z.enum(["sidecar", "preview", "opencode", "vscode"]);
export type ProxyTarget = z.infer<typeof proxyTargetSchema>;

/** `read`: GET and HEAD, and no WebSockets. */
export const proxyAccessSchema = z.enum(["read", "write"]);
export type ProxyAccess = z.infer<typeof proxyAccessSchema>;
