/** Finds the OpenCode program that npm installed for this machine. */
import { access, constants, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { DomainError } from "#contracts/errors";

/**
 * The path of the native program. The `opencode` script beside it is not used: it starts the program as
 * its child, and killing the script would leave the child alive.
 * @throws DomainError `prerequisite_missing`
 */
export const findOpencodeBinary = async (): Promise<string> => {
  const require = createRequire(import.meta.url);
  for (const name of await candidates()) {
    const file = packageFile(require, name);
    if (file !== null && (await isExecutable(file))) return file;
  }
  throw new DomainError(
    "prerequisite_missing",
    `OpenCode has no program for ${process.platform} ${process.arch} here; run "npm install" without omitting optional packages.`,
  );
};

const candidates = async (): Promise<readonly string[]> => {
  const base = `opencode-${process.platform}-${process.arch}`;
  const libc = process.platform === "linux" && usesMusl() ? "-musl" : "";
  const baseline = `${base}-baseline${libc}`;
  if (process.arch !== "x64") return [`${base}${libc}`];
  return (await hasAvx2()) ? [`${base}${libc}`, baseline] : [baseline];
};

const packageFile = (require: NodeJS.Require, name: string): string | null => {
  try {
    return path.join(path.dirname(require.resolve(`${name}/package.json`)), "bin", "opencode");
  } catch {
    return null; // Not installed: npm skips the packages of other platforms.
  }
};

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** The default build uses AVX2 and dies of an illegal instruction without it. */
const hasAvx2 = async (): Promise<boolean> => {
  if (process.platform !== "linux") return true;
  return /\bavx2\b/.test(await readFile("/proc/cpuinfo", "utf8"));
};

const usesMusl = (): boolean => {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined;
};
