/** Which files with environment variables a workspace needs, and where their values come from. */
import { z } from "zod";

const pathSchema = z
  .string()
  .min(1)
  .max(1_024)
  .regex(/^[^\p{Cc}]+$/u, "must not contain control characters")
  .refine((path) => !path.startsWith("/"), "has to be relative to the workspace")
  .refine((path) => !path.endsWith("/"), "has to name a file")
  .refine(
    (path) => !path.split("/").some((step) => step.toLowerCase() === ".git"),
    "must not be inside .git",
  );

const variableNameSchema = z.string().regex(/^[A-Za-z_]\w*$/, "is not a variable's name");

const variableSchema = z.strictObject({
  name: variableNameSchema,
  /** The value under this name is taken; by default the variable's own. */
  from: variableNameSchema.optional(),
  /** Written as it is; nothing is looked up. */
  value: z.string().optional(),
  /** When nobody has given a value. */
  default: z.string().optional(),
  /** Without a value an optional variable is left out; a required one stops everything. */
  required: z.boolean().default(true),
});

const fileSchema = z.strictObject({
  path: pathSchema,
  variables: z.array(variableSchema).max(500),
});

export const envSpecSchema = z.strictObject({ files: z.array(fileSchema).max(100) });
export type EnvSpec = z.infer<typeof envSpecSchema>;
export type EnvFile = EnvSpec["files"][number];
