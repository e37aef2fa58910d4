/** Git, in a way that runs nothing that a repository's own configuration asks for. */
import { simpleGit, type SimpleGit } from "simple-git";
import { DomainError } from "#contracts/errors";

export interface GitRun<T> {
  /** Null: the output was longer than the limit, and git was stopped. */
  readonly result: T | null;
  /** The first `maxBytes` of what git has printed. */
  readonly stdout: Buffer;
}

export interface GitClientOptions {
  readonly folder: string;
  /** Git looks for a repository in the folder and above it, up to here. */
  readonly ceiling: string;
  readonly searchPath: string;
  readonly home: string;
}

/** No output for so long, and git is stopped. */
const silenceMs = 20_000;

/**
 * The agent owns the repositories and may put programs into their configuration. Here these are off: hooks,
 * the file system monitor, external diffs and text converters (by the callers' options), askpass, networks.
 */
const configuration = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never"];

const environment = (options: GitClientOptions) => ({
  PATH: options.searchPath,
  HOME: options.home,
  LANG: "C.UTF-8",
  GIT_OPTIONAL_LOCKS: "0", // A status must not take the lock that the agent's commit needs.
  GIT_LITERAL_PATHSPECS: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_CEILING_DIRECTORIES: options.ceiling,
});

/** @throws DomainError `git_failed` when git ends with an error */
export const runGit = async <T>(
  options: GitClientOptions,
  maxBytes: number,
  command: (git: SimpleGit) => PromiseLike<T>,
): Promise<GitRun<T>> => {
  const enough = new AbortController();
  const chunks: Buffer[] = [];
  let size = 0;
  const git = simpleGit({
    baseDir: options.folder,
    config: configuration,
    abort: enough.signal,
    allowEnvironment: Object.keys(environment(options)),
    timeout: { block: silenceMs },
    // simple-git refuses to set these, since they may name programs; here they name none.
    unsafe: {
      allowUnsafeFsMonitor: true,
      allowUnsafeHooksPath: true,
      allowUnsafeProtocolOverride: true,
    },
  })
    .env(environment(options))
    .outputHandler((_command, stdout) => {
      stdout.on("data", (chunk: Buffer) => {
        const kept = chunk.subarray(0, maxBytes - size);
        size += kept.length;
        chunks.push(kept);
        if (kept.length < chunk.length) enough.abort();
      });
    });
  try {
    const result = await command(git);
    return { result, stdout: Buffer.concat(chunks) };
  } catch (error) {
    if (enough.signal.aborted) return { result: null, stdout: Buffer.concat(chunks) };
    throw new DomainError("git_failed", `git: ${firstLine(error)}`, { cause: error });
  }
};

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split("\n")[0]?.slice(0, 300) ??
  "";
