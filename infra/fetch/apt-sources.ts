import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** One place that the machine gets its packages from. */
export interface AptSource {
  readonly uri: string;
  readonly suites: readonly string[];
  readonly components: readonly string[];
  /** The key file that signs it, when the source names one. */
  readonly signedBy?: string;
}

/** Which distribution this is, from `/etc/os-release`. */
export interface OsRelease {
  readonly id: string;
  readonly codename: string;
}

/** Reads `/etc/os-release`; undefined on a machine without one. */
export const readOsRelease = async (): Promise<OsRelease | undefined> => {
  let text: string;
  try {
    text = await readFile("/etc/os-release", "utf8");
  } catch {
    // Not a Linux distribution that says what it is, so none whose packages are known.
    return undefined;
  }
  const value = (key: string): string =>
    new RegExp(`^${key}="?([^"\n]*)"?$`, "m").exec(text)?.[1] ?? "";
  return { id: value("ID"), codename: value("VERSION_CODENAME") };
};

/** All sources under `/etc/apt`, in both of the formats that apt knows. */
export const readAptSources = async (folder = "/etc/apt"): Promise<AptSource[]> => {
  const parts = join(folder, "sources.list.d");
  const names = await readdir(parts).catch(() => []); // A machine may have only the one file.
  const files = [join(folder, "sources.list"), ...names.sort().map((name) => join(parts, name))];
  const sources: AptSource[] = [];
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => ""); // Or only the folder.
    if (file.endsWith(".list")) sources.push(...parseListFormat(text));
    else if (file.endsWith(".sources")) sources.push(...parseDeb822Format(text));
  }
  return sources;
};

/** `deb [signed-by=/key] uri suite component…`, one per line. */
export const parseListFormat = (text: string): AptSource[] =>
  text.split("\n").flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+([^#]+)/.exec(line);
    if (match === null) return [];
    const [, options = "", uri = "", suite = "", components = ""] = match;
    const signedBy = /signed-by=(\S+)/i.exec(options)?.[1];
    return [
      {
        uri,
        suites: [suite],
        components: components.trim().split(/\s+/),
        ...(signedBy === undefined ? {} : { signedBy }),
      },
    ];
  });

/** Stanzas of `Field: values`, with an empty line between them. */
export const parseDeb822Format = (text: string): AptSource[] =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .split(/\n\s*\n/)
    .flatMap((stanza) => {
      const field = (name: string): string[] =>
        new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(stanza)?.[1]?.trim().split(/\s+/) ?? [];
      if (!field("Types").includes("deb") || field("Enabled").includes("no")) return [];
      const signedBy = field("Signed-By")[0];
      return field("URIs").map((uri) => ({
        uri,
        suites: field("Suites"),
        components: field("Components"),
        ...(signedBy?.startsWith("/") === true ? { signedBy } : {}),
      }));
    });

/** The distribution's own archive among all sources (neither updates nor somebody else's packages). */
export const findOwnArchive = (
  sources: readonly AptSource[],
  codename: string,
  component: string,
): AptSource | undefined =>
  sources.find(
    (source) => source.suites.includes(codename) && source.components.includes(component),
  );
