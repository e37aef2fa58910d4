import { z } from "zod";

/**
 * What a session is for, which decides what its agent is told and which tools it has: working with a
 * person, getting a repository to run, or seeing to an event on its own.
 */
export const sessionKindSchema = z.enum(["coding", "setup", "automation"]);
export type SessionKind = z.infer<typeof sessionKindSchema>;
