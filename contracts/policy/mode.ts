import { z } from "zod";

/** What happens to an action: it runs, it waits for a person, or it is refused. */
export const actionModeSchema = z.enum(["allow", "require_approval", "deny"]);
export type ActionMode = z.infer<typeof actionModeSchema>;

/** A hint of how far an action reaches; it only decides the mode that nobody has set. */
export const riskLevelSchema = z.enum(["read", "write", "danger"]);
export type RiskLevel = z.infer<typeof riskLevelSchema>;
