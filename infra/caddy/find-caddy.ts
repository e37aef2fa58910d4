import { findDebianProgram, type FindProgramOptions } from "../fetch/debian-program.ts";

/**
 * Finds a Caddy 2, or fetches one: see {@link findDebianProgram}.
 * @throws DomainError `prerequisite_missing` with one sentence that says what to do
 */
export const findCaddy = (options: FindProgramOptions): Promise<string> =>
  findDebianProgram(
    {
      title: "Caddy 2",
      package: "caddy",
      command: "caddy",
      variable: "CADDY_BIN",
      versionArgument: "version",
      version: /^v?2\./,
    },
    options,
  );
