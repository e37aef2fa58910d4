import { z } from "zod";

export const envVariableNameSchema = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

/** An environment variable that the agent asks people for. Its value never passes through the log. */
export const envVariableRequestSchema = z.object({
  key: envVariableNameSchema,
  description: z.string().max(1000).optional(),
  /** Whether people should not see the value while they enter it. All values are kept encrypted. */
  type: z.enum(["env", "secret"]).default("env"),
  required: z.boolean().default(true),
  suggestions: z
    .array(
      z.object({
        label: z.string().min(1).max(200),
        /** A value to choose, such as a local address; never a secret. */
        value: z.string().max(1000).optional(),
        /** How to come by a value. */
        instructions: z.string().max(2000).optional(),
      }),
    )
    .max(10)
    .optional(),
});
export type EnvVariableRequest = z.infer<typeof envVariableRequestSchema>;
