/** Whose message it is: a person's, or that of an automation's run. */
import { z } from "zod";
import { idSchema } from "../ids.ts";

const personSchema = z.object({ kind: z.literal("user"), userId: idSchema("user") });
const runSchema = z.object({ kind: z.literal("automation"), runId: idSchema("run") });

/** As the log keeps it: without names, which change, and are kept and erased with the people. */
export const authorSchema = z.discriminatedUnion("kind", [personSchema, runSchema]);
export type Author = z.infer<typeof authorSchema>;

/** As people see it. */
export const shownAuthorSchema = z.discriminatedUnion("kind", [
  /** `name`: as it is now; null where the organisation has nobody of this id any more. */
  personSchema.extend({ name: z.string().nullable() }),
  runSchema,
]);
export type ShownAuthor = z.infer<typeof shownAuthorSchema>;

/** @param by who has asked, as a prompt names them; null where that is nobody whom the log could name */
export const authorOf = (by: string): Author | null => {
  const userId = idSchema("user").safeParse(by);
  if (userId.success) return { kind: "user", userId: userId.data };
  const runId = idSchema("run").safeParse(by);
  return runId.success ? { kind: "automation", runId: runId.data } : null;
};
