import { z } from "zod";

/**
 * What a service may do with its token, beside what a member may not:
 * - `read`: ask for whatever a member may see
 * - `sessions`: everything below `/v1/sessions`
 */
export const serviceScopeSchema = z.enum(["read", "sessions"]);
export type ServiceScope = z.infer<typeof serviceScopeSchema>;
