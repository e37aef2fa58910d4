/** envd's `process.Process`: starts programs and talks to them. */
import { z } from "zod";
import { ConnectFailure } from "../reply.ts";
import { locate } from "../sandbox-folder.ts";
import type { EmulatedSandbox } from "../emulated-sandbox.ts";
import type { EventStream } from "./event-stream.ts";
import type { EnvdProcess, ProcessEvent } from "./process-table.ts";

const sizeSchema = z.object({ cols: z.number(), rows: z.number() });
const startSchema = z.object({
  process: z.object({
    cmd: z.string(),
    args: z.array(z.string()).default([]),
    envs: z.record(z.string(), z.string()).default({}),
    cwd: z.string().optional(),
  }),
  pty: z.object({ size: sizeSchema }).optional(),
  stdin: z.boolean().default(false),
});
const selectorSchema = z.object({ process: z.object({ pid: z.number() }) });
const inputSchema = selectorSchema.extend({
  input: z.object({ stdin: z.string().optional(), pty: z.string().optional() }),
});
const signalSchema = selectorSchema.extend({
  signal: z.enum(["SIGNAL_SIGTERM", "SIGNAL_SIGKILL"]),
});
const updateSchema = selectorSchema.extend({ pty: z.object({ size: sizeSchema }).optional() });

type Unary = (sandbox: EmulatedSandbox, body: unknown) => unknown;

const selected = (sandbox: EmulatedSandbox, { process }: z.infer<typeof selectorSchema>) =>
  sandbox.processes.get(process.pid);

export const processProcedures: Readonly<Record<string, Unary>> = {
  List: (sandbox) => ({
    processes: sandbox.processes.list().map(({ pid, config }) => ({
      pid,
      config: { cmd: config.cmd, args: config.args, envs: config.env, cwd: config.cwd },
    })),
  }),
  SendInput: (sandbox, body) => {
    const request = inputSchema.parse(body);
    const data = request.input.stdin ?? request.input.pty ?? "";
    selected(sandbox, request).write(Buffer.from(data, "base64"));
    return {};
  },
  CloseStdin: (sandbox, body) => {
    selected(sandbox, selectorSchema.parse(body)).closeStdin();
    return {};
  },
  SendSignal: (sandbox, body) => {
    const request = signalSchema.parse(body);
    selected(sandbox, request).signal(request.signal === "SIGNAL_SIGKILL" ? "SIGKILL" : "SIGTERM");
    return {};
  },
  Update: (sandbox, body) => {
    const request = updateSchema.parse(body);
    if (request.pty) {
      selected(sandbox, request).resize(request.pty.size.cols, request.pty.size.rows);
    }
    return {};
  },
};

export interface StreamCall {
  readonly sandbox: EmulatedSandbox;
  readonly body: unknown;
  readonly stream: EventStream;
  /** The client's `connect-timeout-ms`; null for none. */
  readonly timeoutMs: number | null;
}

type Streaming = (call: StreamCall) => Promise<void>;

export const processStreams: Readonly<Record<string, Streaming>> = {
  /** The program lives on when the client goes; it is killed when the client's time is over. */
  Start: async (call) => {
    const { sandbox } = call;
    const request = startSchema.parse(call.body);
    const { cmd, args, envs, cwd } = request.process;
    const started = await sandbox.processes.start({
      cmd,
      args,
      cwd: locate(sandbox.folder, cwd ?? "."),
      env: sandbox.environment(envs),
      stdin: request.stdin,
      terminal: request.pty?.size ?? null,
    });
    follow(call, started, () => started.signal("SIGKILL"));
  },
  Connect: (call) => {
    follow(call, selected(call.sandbox, selectorSchema.parse(call.body)), () => undefined);
    return Promise.resolve();
  },
};

const follow = (call: StreamCall, followed: EnvdProcess, onTimeout: () => void): void => {
  const { stream, timeoutMs } = call;
  const timer =
    timeoutMs === null
      ? undefined
      : setTimeout(() => {
          unsubscribe();
          onTimeout();
          stream.end(new ConnectFailure("deadline_exceeded", "context deadline exceeded"));
        }, timeoutMs);
  const unsubscribe = followed.subscribe((event) => {
    if (gone && event.kind !== "end") return;
    stream.send(message(event));
    if (event.kind !== "end") return;
    clearTimeout(timer);
    stream.end();
  });
  // The time goes on without the client, as it may be the first to notice that it is over.
  let gone = false;
  stream.onGone(() => void (gone = true));
  stream.send({ event: { start: { pid: followed.pid } } });
};

const message = (event: ProcessEvent): unknown =>
  event.kind === "end"
    ? {
        event: {
          end: {
            exitCode: event.exitCode,
            exited: event.exitCode >= 0,
            status: event.status,
            ...(event.exitCode !== 0 && { error: event.status }),
          },
        },
      }
    : { event: { data: { [event.kind]: event.data.toString("base64") } } };
