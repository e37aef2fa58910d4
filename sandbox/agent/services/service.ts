/** What a service is, as it is stored and as it is shown. */
import { z } from "zod";

/** Also the name of its log file. */
export const serviceNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "has to be letters, digits, ., _ and -, at most 64");

export const variablesSchema = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/, "is not a variable's name"),
  z.string().refine((value) => !value.includes("\0"), "must not contain NUL"),
);

export const serviceSpecSchema = z.object({
  name: serviceNameSchema,
  /** A shell is part of it where a person's command line is run. */
  argv: z.array(z.string()).min(1),
  cwd: z.string(),
  env: variablesSchema,
  restart: z.enum(["always", "on_failure", "never"]),
  /** `sandbox`: belongs to the sandbox itself (the agent's server, the preview) and is not for users to stop. */
  owner: z.enum(["user", "sandbox"]),
});
export type ServiceSpec = z.infer<typeof serviceSpecSchema>;

export const serviceStateSchema = z.object({
  /** `restarting`: failed, and waits for its next try. `error`: failed, and is left alone. */
  status: z.enum(["running", "restarting", "stopped", "error"]),
  /** With its start time, since a process id alone may be reused. */
  process: z.object({ pid: z.int().positive(), startTime: z.string() }).nullable(),
  startedAt: z.number().nullable(),
  exitCode: z.number().nullable(),
  /** Failures in a row. */
  failures: z.int().nonnegative(),
});
export type ServiceState = z.infer<typeof serviceStateSchema>;

export const neverStarted: ServiceState = {
  status: "stopped",
  process: null,
  startedAt: null,
  exitCode: null,
  failures: 0,
};

export const serviceViewSchema = z.object({
  name: z.string(),
  /** What a person would type. */
  command: z.string(),
  cwd: z.string(),
  owner: serviceSpecSchema.shape.owner,
  status: serviceStateSchema.shape.status,
  pid: z.number().nullable(),
  /** RFC 3339. */
  startedAt: z.string().nullable(),
  /** Of the last run that ended. */
  exitCode: z.number().nullable(),
  failures: z.number(),
});
export type ServiceView = z.infer<typeof serviceViewSchema>;

const shell = ["/bin/sh", "-c"] as const;

/** A person's command line, run by a shell. */
export const shellCommand = (command: string): string[] => [...shell, command];

export const viewOf = (spec: ServiceSpec, state: ServiceState): ServiceView => ({
  name: spec.name,
  command: isShellCommand(spec.argv) ? (spec.argv[2] ?? "") : spec.argv.join(" "),
  cwd: spec.cwd,
  owner: spec.owner,
  status: state.status,
  pid: state.process?.pid ?? null,
  startedAt: state.startedAt === null ? null : new Date(state.startedAt).toISOString(),
  exitCode: state.exitCode,
  failures: state.failures,
});

const isShellCommand = (argv: readonly string[]): boolean =>
  argv.length === 3 && argv[0] === shell[0] && argv[1] === shell[1];
