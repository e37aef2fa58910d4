import { z } from "zod";
import { idSchema } from "../ids.ts";

export const roleSchema = z.enum(["owner", "admin", "member"]);
export type Role = z.infer<typeof roleSchema>;

/** The person behind a request. */
export const userViewSchema = z.object({
  id: idSchema("user"),
  organizationId: idSchema("organization"),
  organizationName: z.string(),
  email: z.string(),
  name: z.string(),
  role: roleSchema,
});
export type UserView = z.infer<typeof userViewSchema>;

/** The roles that may approve actions and change policy. */
export const approverRoles: readonly Role[] = ["owner", "admin"];
