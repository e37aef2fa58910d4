import { InvalidArgumentError } from "commander";
import { type IdKind, idSchema } from "#contracts/ids";

/**
 * Reads an id from the command line, for Commander.
 * @param what as its error names it, for example "an invocation"
 */
export const idArgument =
  <Kind extends IdKind>(kind: Kind, what: string) =>
  (text: string) => {
    const id = idSchema(kind).safeParse(text);
    if (!id.success) throw new InvalidArgumentError(`Not the id of ${what}.`);
    return id.data;
  };
