/** Programs and files inside a sandbox. */

export type Argv = readonly [program: string, ...args: string[]];

export interface ExecOptions {
  /** An absolute path inside; the workspace by default. */
  readonly cwd?: string;
  /** Added to the sandbox's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** Milliseconds; 120,000 by default. The program's whole process group is ended then. */
  readonly timeoutMs?: number;
  /** Kept per stream; what comes after is dropped. 1 MiB by default. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ExecResult {
  /** Null when a signal ended the command, among others after a timeout. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

/** Runs a program without a shell. A program that does not exist ends with 127 or fails the call. */
export type Exec = (argv: Argv, options?: ExecOptions) => Promise<ExecResult>;

export interface SandboxFiles {
  /** Null when there is no such file. @throws DomainError `sandbox_unavailable` when it cannot be read */
  read(path: string): Promise<Uint8Array | null>;
  /** Replaces the file as a whole and makes the folders above it. `mode` is octal permissions, 0o644 by default. */
  write(
    path: string,
    content: string | Uint8Array,
    options?: { readonly mode?: number },
  ): Promise<void>;
  exists(path: string): Promise<boolean>;
}

export interface SandboxFile {
  /** As it was asked for. */
  readonly path: string;
  /** Null when there is no such file. */
  readonly content: Uint8Array | null;
}
