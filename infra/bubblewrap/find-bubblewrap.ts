import { findDebianProgram, type FindProgramOptions } from "../fetch/debian-program.ts";

/**
 * Finds a bubblewrap, or fetches one: see {@link findDebianProgram}. Whether it may make its namespaces here is
 * another question.
 * @throws DomainError `prerequisite_missing` with one sentence that says what to do
 */
export const findBubblewrap = (options: FindProgramOptions): Promise<string> =>
  findDebianProgram(
    {
      title: "bubblewrap",
      package: "bubblewrap",
      command: "bwrap",
      variable: "BWRAP",
      versionArgument: "--version",
      version: /^bubblewrap /,
    },
    options,
  );
