import { z } from "zod";

/**
 * Where a session's sandbox is reached, as its owner tells the gateway. Base URLs without a slash at the
 * end. Nothing of it is for clients: the header opens the agent's server.
 */
export const sandboxEndpointsSchema = z.object({
  /** `authorization` is the whole header value. */
  opencode: z.object({ baseUrl: z.url(), authorization: z.string() }),
  preview: z.url(),
  sidecar: z.url(),
});
export type SandboxEndpoints = z.infer<typeof sandboxEndpointsSchema>;
