import { InvalidArgumentError } from "commander";
import type { z } from "zod";

/** Reads an argument as a schema has it, for Commander. @param what it has to be, as the error says */
export const schemaArgument =
  <Schema extends z.ZodType>(schema: Schema, what: string) =>
  (given: unknown): z.output<Schema> => {
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`It has to be ${what}.`);
  };
