/**
 * A sandbox's file system: a folder. Paths that come through the interface are taken as paths inside it;
 * programs see the computer's own file system, with their home and temporary folder inside.
 */
import { chmod, cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";

export interface SandboxFolder {
  readonly root: string;
  readonly home: string;
  readonly temporary: string;
  /** First in the search path of everything that runs inside. */
  readonly programs: string;
}

/** A port inside, and the one of this computer that stands for it. */
export type PortMap = ReadonlyMap<number, number>;

export interface FolderContents {
  /** Programs of the image: the name inside, and the file on this computer. */
  readonly programs: Readonly<Record<string, string>>;
  readonly ports: PortMap;
  /** Files to start from; an empty home without. */
  readonly copyOf: SandboxFolder | null;
}

export const folderAt = (root: string): SandboxFolder => ({
  root,
  home: path.join(root, "home/user"),
  temporary: path.join(root, "tmp"),
  programs: path.join(root, "usr/local/bin"),
});

export const makeFolder = async (
  root: string,
  contents: FolderContents,
): Promise<SandboxFolder> => {
  const folder = folderAt(root);
  if (contents.copyOf !== null) {
    await cp(contents.copyOf.root, root, { recursive: true, verbatimSymlinks: true });
  }
  for (const each of [folder.home, folder.temporary, folder.programs]) {
    await mkdir(each, { recursive: true });
  }
  // A login shell sets the search path anew; on the real image the programs are in one of its folders.
  const profile = `export PATH="${folder.programs}:${process.env["PATH"] ?? ""}"\n`;
  await writeFile(path.join(folder.home, ".profile"), profile);
  for (const [name, file] of Object.entries(contents.programs)) {
    const wrapper = path.join(folder.programs, name);
    await writeFile(wrapper, programWrapper(file, contents.ports));
    await chmod(wrapper, 0o755);
  }
  return folder;
};

export const removeFolder = (folder: SandboxFolder): Promise<void> =>
  rm(folder.root, { recursive: true, force: true, maxRetries: 5 });

/** Where a path of the interface is on this computer: relative to the home, and never outside the folder. */
export const locate = (folder: SandboxFolder, inside: string): string => {
  const absolute = path.resolve(folder.home, inside);
  const within = absolute === folder.root || absolute.startsWith(`${folder.root}${path.sep}`);
  return within ? absolute : path.join(folder.root, absolute);
};

/**
 * All sandboxes share this computer's ports, so a program that is told to listen on one of a sandbox's
 * usual ports listens on the one that stands for it, and only for this computer.
 */
const programWrapper = (file: string, ports: PortMap): string => {
  const cases = [...ports].map(([inside, outside]) => `    ${inside}) word=${outside} ;;`);
  return `#!/bin/bash
words=()
for word in "$@"; do
  case "$word" in
    0.0.0.0) word=127.0.0.1 ;;
${cases.join("\n")}
  esac
  words+=("$word")
done
exec '${file}' "\${words[@]}"
`;
};
