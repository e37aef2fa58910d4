/** The VS Code servers that an image may have, and how each is started. */
import { access, constants } from "node:fs/promises";
import path from "node:path";

export interface EditorPlaces {
  /** Where it listens. */
  readonly socketPath: string;
  /** What it opens. */
  readonly workspace: string;
  /** Settings and extensions, which stay with the sandbox's files. */
  readonly dataFolder: string;
}

interface EditorProgram {
  readonly name: string;
  readonly args: (places: EditorPlaces) => string[];
}

/**
 * Neither asks for a password or a connection token: VS Code's own pages have to know that token, so it would
 * reach every client. Instead they listen on a socket that only the sandbox's user may open, and the sidecar,
 * which asks for its token, stands before it.
 */
const programs: readonly EditorProgram[] = [
  {
    name: "openvscode-server",
    args: ({ socketPath, workspace, dataFolder }) => [
      ...["--socket-path", socketPath],
      "--without-connection-token",
      "--accept-server-license-terms",
      ...["--telemetry-level", "off"],
      ...["--server-data-dir", dataFolder],
      ...["--default-folder", workspace],
    ],
  },
  {
    name: "code-server",
    args: ({ socketPath, workspace, dataFolder }) => [
      ...["--socket", socketPath, "--socket-mode", "600"],
      ...["--auth", "none"],
      // Its pages would reach every port of the sandbox.
      "--disable-proxy",
      ...["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"],
      ...["--config", path.join(dataFolder, "config.yaml")],
      ...["--user-data-dir", path.join(dataFolder, "data")],
      ...["--extensions-dir", path.join(dataFolder, "extensions")],
      workspace,
    ],
  },
];

/**
 * The command line of the first one that is there.
 * @param searchPath folders, separated by colons
 */
export const findEditor = async (
  searchPath: string,
  places: EditorPlaces,
): Promise<readonly string[] | null> => {
  for (const { name, args } of programs) {
    for (const folder of searchPath.split(":").filter((each) => path.isAbsolute(each))) {
      const program = path.join(folder, name);
      if (await isExecutable(program)) return [program, ...args(places)];
    }
  }
  return null;
};

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
