import { createInterface } from "node:readline/promises";
import { DomainError } from "#contracts/errors";

/**
 * Asks a person at the terminal; anything but "yes" is a no.
 *
 * @throws DomainError `request_malformed` where nobody can be asked
 */
export const confirm = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) {
    throw new DomainError("request_malformed", "Nobody can be asked here: say --yes.");
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`${question} Type "yes": `)).trim() === "yes";
  } finally {
    terminal.close();
  }
};
