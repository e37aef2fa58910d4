/**
 * The shell side of running a program in a sandbox: a job with a folder of its own, in which its output and
 * its exit code stay until long after its end.
 *
 * So neither a connection that breaks in between nor a daemon that has forgotten its processes (E2B's does
 * after a pause) loses a result; children that keep the output open do not hold up the answer; and output
 * comes as exact bytes. Nothing secret may be in a script: E2B logs command lines.
 */
import { shellCommand, shellEscape } from "../../provider/shell-escape.ts";

export interface JobScript {
  readonly id: string;
  /** Each one word for the program. */
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Jobs whose results have arrived. */
  readonly settled: readonly string[];
  /** Whether its input has been put into the folder; it has none otherwise. */
  readonly stdin: boolean;
}

/** Relative to the home. */
const jobsFolder = ".proliferate/jobs";
/** Relative to the home; holds the environment of everything that is run inside. */
export const environmentFile = ".env.proliferate";

/** Sets what the program's own environment does not set; a shell has no other kind of name. */
export const environmentScript = (environment: Readonly<Record<string, string>>): string =>
  Object.entries(environment)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `[ "\${${name}+set}" ] || export ${name}=${shellEscape(value)}\n`)
    .join("");

/** A path below the home, for the job's input. */
export const jobInput = (id: string): string => `${jobsFolder}/${id}/in`;

/** Runs the program to its end, or kills its whole process group when the time is over, and reports. */
export const runScript = (job: JobScript): string =>
  [
    ...prologue(job),
    `umask 077; mkdir -p "$job"; umask 022`,
    ...job.settled.map((id) => `rm -rf ~/${jobsFolder}/${id}`),
    // Those whose results nobody has fetched and nobody can be waiting for any more.
    `find ~/${jobsFolder} -mindepth 2 -maxdepth 2 -name end -mmin +60 -printf '%h\\0' | xargs -0r rm -rf`,
    `[ ! -r ~/${environmentFile} ] || . ~/${environmentFile}`,
    `export PATH="$HOME/.local/bin:$PATH"`,
    `began=\${EPOCHREALTIME/[.,]/}`,
    `{ cd ${shellEscape(job.cwd)} && {`,
    `  timeout --signal=KILL ${seconds(job.timeoutMs)} ${shellCommand(job.argv)} \\`,
    `    <${job.stdin ? '"$job/in"' : "/dev/null"} >"$job/out" 2>"$job/err" &`,
    `  echo "$!" >"$job/pid"; wait "$!"`,
    `} } 2>"$job/shell"`,
    `code=$?`,
    `took=$(( (\${EPOCHREALTIME/[.,]/} - began) / 1000 ))`,
    // What kept the program from being started at all.
    `[ -s "$job/pid" ] || mv "$job/shell" "$job/err"`,
    `echo "$code $took" >"$job/ending" && mv "$job/ending" "$job/end"`,
    "report",
  ].join("\n");

/** Waits for the end of a job that was started before, and reports; says so when there is no such job. */
export const collectScript = (job: Pick<JobScript, "id" | "maxOutputBytes">): string =>
  [
    ...prologue(job),
    `while [ ! -e "$job/end" ]; do`,
    `  if ! kill -0 "$(cat "$job/pid" 2>/dev/null)" 2>/dev/null; then`,
    // Its end is written a moment after its death.
    `    sleep 1; [ -e "$job/end" ] || { echo unknown; exit; }`,
    `  fi`,
    `  sleep 0.1`,
    `done`,
    "report",
  ].join("\n");

/** Kills the job's whole process group. */
export const killScript = (id: string): string =>
  `kill -KILL -- "-$(cat ~/${jobsFolder}/${id}/pid)" 2>/dev/null || true`;

const prologue = (job: Pick<JobScript, "id" | "maxOutputBytes">): string[] => [
  `job=~/${jobsFolder}/${job.id}`,
  'bytes() { stat -c %s "$1" 2>/dev/null || echo 0; }',
  `encoded() { head -c ${job.maxOutputBytes} "$1" 2>/dev/null | base64 -w 0; echo; }`,
  `report() {`,
  `  echo "$(cat "$job/end") $(bytes "$job/out") $(bytes "$job/err")"`,
  `  encoded "$job/out"; encoded "$job/err"; echo end`,
  `}`,
];

const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(3);

export interface JobReport {
  readonly exitCode: number;
  readonly durationMs: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Before anything was cut off. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

/** Null when the report is not whole. */
export const parseReport = (output: string): JobReport | null => {
  const [head, stdout, stderr, end] = output.split("\n");
  const numbers = /^(\d+) (\d+) (\d+) (\d+)$/.exec(head ?? "");
  if (numbers === null || stdout === undefined || stderr === undefined || end !== "end")
    return null;
  const [exitCode, durationMs, stdoutBytes, stderrBytes] = numbers.slice(1).map(Number);
  return {
    exitCode: exitCode ?? 0,
    durationMs: durationMs ?? 0,
    stdoutBytes: stdoutBytes ?? 0,
    stderrBytes: stderrBytes ?? 0,
    stdout: Buffer.from(stdout, "base64"),
    stderr: Buffer.from(stderr, "base64"),
  };
};
