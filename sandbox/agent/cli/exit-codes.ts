/** How the command ends; scripts and agents branch on it. */
export const exitCodes = {
  done: 0,
  /** The command line, the parameters or the environment are wrong. */
  usage: 2,
  denied: 3,
  expired: 4,
  failed: 5,
  /** It may or may not have happened; a person has to look. */
  outcomeUnknown: 6,
  /** Still waiting when `--timeout` was over. */
  timeout: 7,
  /** The control plane did not answer. */
  unreachable: 8,
  /** The control plane refused the request for another reason. */
  refused: 9,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the command with a sentence on stderr. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
