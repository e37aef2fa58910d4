/** `modal.task_command_router.TaskCommandRouter`: commands inside one sandbox, and its snapshots. */
import { randomBytes } from "node:crypto";
import { ServerError, Status, type CallContext } from "nice-grpc";
import { variablesOf } from "./control-plane.ts";
import type { EmulatedExec } from "./emulated-exec.ts";
import {
  resultStatus,
  type ExecRequest,
  type ExecStartRequest,
  type StdinWriteRequest,
  type StdioReadRequest,
} from "./messages.ts";
import { captureProcesses } from "./process-image.ts";
import type { EmulatedSandbox } from "./sandboxes.ts";
import type { ServiceState } from "./service-state.ts";
import { requireBearer } from "./tokens.ts";

export const commandRouter = (state: ServiceState) => {
  /** A snapshot that is asked for again, because its answer was lost, is the same snapshot. */
  const memorySnapshots = new Map<string, Promise<string>>();

  const sandboxOf = (taskId: string, context: CallContext): EmulatedSandbox => {
    const sandbox = state.sandboxes.ofTask(taskId);
    requireBearer(context.metadata, state.routerTokens.get(taskId));
    if (sandbox.result !== null) throw new ServerError(Status.NOT_FOUND, "The sandbox has ended.");
    return sandbox;
  };

  const execOf = ({ taskId, execId }: ExecRequest, context: CallContext): EmulatedExec => {
    const exec = sandboxOf(taskId, context).execs.get(execId);
    if (exec === undefined) throw new ServerError(Status.NOT_FOUND, `Exec ${execId} not found.`);
    return exec;
  };

  const snapshotMemory = async (sandbox: EmulatedSandbox): Promise<string> => {
    const { container, definition, appId, tags, env } = sandbox;
    const snapshot = await container.frozen(async () => ({
      imageId: await state.images.save(container),
      processes: await captureProcesses(sandbox.id),
    }));
    const id = `sn-${randomBytes(11).toString("hex")}`;
    state.memorySnapshots.set(id, { ...snapshot, container, definition, appId, tags, env });
    // The protocol's own words: a successful memory snapshot ends the container.
    await state.sandboxes.end(sandbox, resultStatus.success);
    return id;
  };

  return {
    // Asked for again with the same id, when an answer was lost, it is the same command.
    taskExecStart: (request: ExecStartRequest, context: CallContext): Promise<object> => {
      const { container, execs } = sandboxOf(request.taskId, context);
      if (!execs.has(request.execId)) {
        const exec = container.start({
          argv: request.commandArgs,
          cwd: request.workdir,
          env: variablesOf(request.secretSources),
          timeoutSecs: request.timeoutSecs,
        });
        execs.set(request.execId, exec);
      }
      return Promise.resolve({});
    },

    taskExecStdioRead: async function* (request: StdioReadRequest, context: CallContext) {
      const { streams } = execOf(request, context);
      const stream = request.fileDescriptor === 0 ? streams[0] : streams[1];
      for await (const data of stream.readFrom(request.offset, context.signal)) yield { data };
    },

    taskExecStdinWrite: (request: StdinWriteRequest, context: CallContext): Promise<object> => {
      execOf(request, context).writeStdin(request.offset, request.data, request.eof);
      return Promise.resolve({});
    },

    taskExecPoll: (request: ExecRequest, context: CallContext): Promise<object> =>
      Promise.resolve(execOf(request, context).status() ?? {}),

    taskExecWait: (request: ExecRequest, context: CallContext): Promise<object> =>
      execOf(request, context).wait(context.signal),

    taskSnapshotFilesystem: async (
      { taskId }: { taskId: string },
      context: CallContext,
    ): Promise<object> => {
      const { container } = sandboxOf(taskId, context);
      return { imageId: await container.frozen(() => state.images.save(container)) };
    },

    taskSnapshotMemory: async (
      request: { taskId: string; idempotencyKey: string },
      context: CallContext,
    ): Promise<object> => {
      const known = memorySnapshots.get(request.idempotencyKey);
      if (known !== undefined) return { snapshotId: await known };
      const sandbox = sandboxOf(request.taskId, context);
      if (!sandbox.definition.enableSnapshot) {
        throw new ServerError(
          Status.FAILED_PRECONDITION,
          "The sandbox was created without snapshots.",
        );
      }
      const snapshot = snapshotMemory(sandbox);
      memorySnapshots.set(request.idempotencyKey, snapshot);
      return { snapshotId: await snapshot };
    },
  };
};
