import { z } from "zod";

/** What a program that has a service token is called in its organisation. */
export const programNameSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/);
