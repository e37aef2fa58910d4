/** Runs programs in a sandbox as jobs, whose results survive a broken connection. */
import { randomUUID } from "node:crypto";
import type { Sandbox } from "e2b";
import type { Exec, ExecResult } from "../../provider/exec.ts";
import { callE2b, e2bError, isBrokenConnection } from "./errors.ts";
import {
  collectScript,
  jobInput,
  killScript,
  parseReport,
  runScript,
  type JobReport,
} from "./job-script.ts";

const defaultExecTimeoutMs = 120_000;
const defaultMaxOutputBytes = 1024 * 1024;
/** What the shell around a program may take beyond it. */
const overheadMs = 30_000;

/** @param workspace where programs run unless they are told otherwise */
export const execIn = (sandbox: Sandbox, workspace: string): Exec => {
  const settled: string[] = [];

  return async (argv, options = {}) => {
    const { signal, env = {} } = options;
    signal?.throwIfAborted();
    const job = {
      id: randomUUID(),
      argv,
      cwd: options.cwd ?? workspace,
      timeoutMs: options.timeoutMs ?? defaultExecTimeoutMs,
      maxOutputBytes: options.maxOutputBytes ?? defaultMaxOutputBytes,
      stdin: options.stdin !== undefined,
      settled: settled.splice(0),
    };
    const limits = { timeoutMs: job.timeoutMs + overheadMs };
    if (options.stdin !== undefined) {
      const input = new Blob([options.stdin as Uint8Array<ArrayBuffer>]);
      await callE2b("repeat", () => sandbox.files.write(jobInput(job.id), input));
    }
    const run = async (): Promise<JobReport> => {
      const first = await sandbox.commands
        .run(runScript(job), { ...limits, envs: { ...env }, ...(signal && { signal }) })
        .catch((error: unknown) => {
          signal?.throwIfAborted();
          if (isBrokenConnection(error)) return null;
          throw e2bError(error);
        });
      const report = first && parseReport(first.stdout);
      if (report) return report;
      // It has been started, or not; it must not be started again. Its folder knows.
      const collected = await callE2b("repeat", () =>
        sandbox.commands.run(collectScript(job), { ...limits, ...(signal && { signal }) }),
      );
      const late = parseReport(collected.stdout);
      if (late) return late;
      throw e2bError(new TypeError(`the sandbox knows nothing of the command ${argv[0]}`));
    };
    try {
      const report = await run();
      settled.push(job.id);
      return resultOf(report, job);
    } catch (error) {
      if (!signal?.aborted) throw error;
      await sandbox.commands.run(killScript(job.id)).catch(() => undefined); // It has a limit of its own.
      throw signal.reason;
    }
  };
};

const resultOf = (
  report: JobReport,
  { timeoutMs, maxOutputBytes }: { readonly timeoutMs: number; readonly maxOutputBytes: number },
): ExecResult => ({
  exitCode: bySignal(report.exitCode) ? null : report.exitCode,
  stdout: report.stdout.toString("utf8"),
  stderr: report.stderr.toString("utf8"),
  truncated: report.stdoutBytes > maxOutputBytes || report.stderrBytes > maxOutputBytes,
  timedOut: report.exitCode === killedCode && report.durationMs >= timeoutMs,
});

/** A shell reports the end by signal n as 128 + n; SIGKILL is 9. */
const killedCode = 137;
const bySignal = (exitCode: number): boolean => exitCode > 128 && exitCode <= 128 + 64;
