import { mkdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Where fetched programs are kept (created if missing): `$XDG_CACHE_HOME/proliferate`, else
 * `~/.cache/proliferate`, else, where there is no home to write to, a private folder below the
 * temporary one.
 */
export const cacheFolder = async (env: Readonly<NodeJS.ProcessEnv>): Promise<string> => {
  const candidates = [env["XDG_CACHE_HOME"], joinIfSet(env["HOME"], ".cache")];
  for (const base of candidates) {
    if (base === undefined || !isAbsolute(base)) continue;
    const folder = join(base, "proliferate");
    try {
      await mkdir(folder, { recursive: true });
      return folder;
    } catch {
      // A home that cannot be written to is as good as none.
    }
  }
  return temporaryCacheFolder();
};

const joinIfSet = (folder: string | undefined, name: string): string | undefined =>
  folder === undefined || folder === "" ? undefined : join(folder, name);

/** Programs are run from here, so a folder that somebody else has put there is refused. */
const temporaryCacheFolder = async (): Promise<string> => {
  const uid = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `proliferate-cache-${String(uid)}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid: owner, mode } = await stat(folder);
  if (process.getuid !== undefined && (owner !== uid || (mode & 0o022) !== 0)) {
    throw new Error(`The cache folder ${folder} belongs to another user`);
  }
  return folder;
};
