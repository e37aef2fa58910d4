/** The one place where a value is made safe for a POSIX shell. */
import { DomainError } from "#contracts/errors";

/**
 * One shell word that means exactly `value`, whatever is in it.
 * @throws DomainError `request_invalid` for a NUL character, which no argument can hold
 */
export const shellEscape = (value: string): string => {
  if (value.includes("\0")) {
    throw new DomainError("request_invalid", "An argument cannot hold a NUL character.");
  }
  if (/^[\w@%+=:,./-]+$/.test(value)) return value;
  return `'${value.replaceAll("'", `'\\''`)}'`;
};

/** A command line for a shell that runs exactly this program with these arguments. */
export const shellCommand = (argv: readonly string[]): string => argv.map(shellEscape).join(" ");
