/** What of this computer a fenced sandbox may read besides the system's own folders. */
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Node's own folder first: what runs inside uses the same Node as the control plane. */
export const searchPath = (): string =>
  [
    path.dirname(process.execPath),
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/usr/local/sbin",
    "/usr/sbin",
    "/sbin",
  ].join(":");

/**
 * @param opencodeBinary the program that runs inside
 * @param repositoryUrls sources of clones; a folder of this computer has to be readable
 */
export const readablePaths = (
  opencodeBinary: string,
  repositoryUrls: readonly string[],
): string[] => {
  // The program lies in <prefix>/bin, with npm in <prefix>/lib.
  const nodePrefix = path.dirname(path.dirname(process.execPath));
  return [
    ...(nodePrefix === "/" || nodePrefix === "/usr" ? [] : [nodePrefix]),
    path.dirname(opencodeBinary),
    ...repositoryUrls.flatMap((url) => localFolder(url) ?? []),
  ];
};

const localFolder = (url: string): string | null => {
  if (url.startsWith("file://")) return fileURLToPath(url);
  return path.isAbsolute(url) ? url : null;
};
