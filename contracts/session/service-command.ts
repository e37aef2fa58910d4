import { z } from "zod";

/** How a service of the repository is started, for example its web server. */
export const serviceCommandSchema = z.object({
  name: z.string().min(1).max(100),
  /** For a shell. */
  command: z.string().min(1).max(1000),
  /** Relative to `workspacePath`. */
  cwd: z.string().max(500).optional(),
  /** The repository's folder below the workspace, where there are several. */
  workspacePath: z.string().max(500).optional(),
});
export type ServiceCommand = z.infer<typeof serviceCommandSchema>;
