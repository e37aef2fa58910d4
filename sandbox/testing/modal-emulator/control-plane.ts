/** `modal.client.ModalClient`, as far as sandboxes of the newer backend need it. */
import { ServerError, Status, type CallContext } from "nice-grpc";
import {
  type SandboxCreateRequest,
  type SandboxRestoreRequest,
  type SandboxTag,
  type SecretSource,
  type TunnelData,
} from "./messages.ts";
import { resultStatus } from "./messages.ts";
import { startProcesses } from "./process-image.ts";
import type { EmulatedSandbox } from "./sandboxes.ts";
import { routerAccess, type ServiceState } from "./service-state.ts";
import { newToken, requireCredentials } from "./tokens.ts";

type Handler<Request> = (request: Request, context: CallContext) => object | Promise<object>;

interface SandboxRef {
  readonly sandboxId: string;
}

const pageSize = 10;

export const controlPlane = (state: ServiceState) => {
  const { sandboxes, images, app } = state;

  /** Every method asks for the credentials first. */
  const method =
    <Request>(handler: Handler<Request>) =>
    async (request: Request, context: CallContext): Promise<object> => {
      requireCredentials(context.metadata, state.credentials);
      return handler(request, context);
    };

  const requireApp = (appName: string): void => {
    if (appName !== app.name) throw new ServerError(Status.NOT_FOUND, `App ${appName} not found.`);
  };

  const started = (sandbox: EmulatedSandbox) => ({
    sandboxId: sandbox.id,
    taskId: sandbox.taskId,
    tunnels: tunnelsOf(sandbox),
    commandRouterAccess: routerAccess(state, sandbox),
  });

  return {
    authTokenGet: method(() => ({ token: newToken() })),

    appGetOrCreate: method<{ appName: string }>(({ appName }) => {
      requireApp(appName);
      return { appId: app.id };
    }),

    functionGet: method<{ appName: string; objectTag: string }>(({ appName, objectTag }) => {
      requireApp(appName);
      if (app.imageUrl === null || objectTag !== "get_image_id") {
        throw new ServerError(Status.NOT_FOUND, `Function ${objectTag} not found.`);
      }
      return { functionId: "fu-image", handleMetadata: { webUrl: app.imageUrl } };
    }),

    imageFromId: method<{ imageId: string }>(({ imageId }) => {
      images.folderOf(imageId);
      return { imageId };
    }),

    imageDelete: method<{ imageId: string }>(({ imageId }) => {
      images.folderOf(imageId);
      images.forget(imageId);
      return {};
    }),

    sandboxCreateV2: method<SandboxCreateRequest>(async (request) => {
      const { appId, definition, tags } = request;
      if (definition === undefined || appId !== app.id) {
        throw new ServerError(Status.INVALID_ARGUMENT, "A sandbox needs a definition and an app.");
      }
      const env = variablesOf(request.secretSources);
      const name = definition.name ?? null;
      return started(await sandboxes.create({ appId, definition, tags, env }, name));
    }),

    sandboxRestoreV2: method<SandboxRestoreRequest>(async (request) => {
      const snapshot = state.memorySnapshots.get(request.snapshotId);
      if (snapshot === undefined) {
        throw new ServerError(Status.NOT_FOUND, `Snapshot ${request.snapshotId} not found.`);
      }
      const definition = { ...snapshot.definition, imageId: snapshot.imageId };
      const names = [definition.name ?? null, null, request.sandboxNameOverride];
      const name = names[request.sandboxNameOverrideType] ?? null;
      const sandbox = await sandboxes.create({ ...snapshot, definition }, name);
      await startProcesses(snapshot.processes, snapshot.container, sandbox.container);
      return started(sandbox);
    }),

    sandboxSnapshotGet: method<{ snapshotId: string }>(({ snapshotId }) => {
      if (!state.memorySnapshots.has(snapshotId)) {
        throw new ServerError(Status.NOT_FOUND, `Snapshot ${snapshotId} not found.`);
      }
      return { snapshotId, handleMetadata: { isV2: true } };
    }),

    sandboxGetFromNameV2: method<{ sandboxName: string; appName: string }>((request) => {
      requireApp(request.appName);
      const found = sandboxes.running().find(({ name }) => name === request.sandboxName);
      if (found === undefined) throw new ServerError(Status.NOT_FOUND, "No such sandbox runs.");
      return { sandboxId: found.id };
    }),

    // The older backend has no sandboxes here, and the SDK asks it too.
    sandboxGetFromName: method(() => {
      throw new ServerError(Status.NOT_FOUND, "No such sandbox runs.");
    }),

    sandboxGetTaskIdV2: method<SandboxRef>(({ sandboxId }) => {
      const { taskId, result } = sandboxes.get(sandboxId);
      return result === null ? { taskId } : { taskResult: result };
    }),

    sandboxGetCommandRouterAccess: method<SandboxRef>(({ sandboxId }) =>
      routerAccess(state, sandboxes.get(sandboxId)),
    ),

    sandboxWaitV2: method<SandboxRef & { timeout: number }>(async ({ sandboxId, timeout }) => {
      const result = await sandboxes.waitForEnd(sandboxes.get(sandboxId), timeout);
      return result === null ? {} : { result };
    }),

    sandboxTerminateV2: method<SandboxRef>(async ({ sandboxId }) => {
      await sandboxes.end(sandboxes.get(sandboxId), resultStatus.terminated);
      return {};
    }),

    sandboxGetTunnelsV2: method<SandboxRef>(({ sandboxId }) => {
      const sandbox = sandboxes.get(sandboxId);
      if (sandbox.result !== null)
        throw new ServerError(Status.NOT_FOUND, "The sandbox has ended.");
      return { result: { status: resultStatus.success }, tunnels: tunnelsOf(sandbox) };
    }),

    sandboxTagsGetV2: method<SandboxRef>(({ sandboxId }) => ({
      tags: sandboxes.get(sandboxId).tags,
    })),

    sandboxTagsSetV2: method<SandboxRef & { tags: SandboxTag[] }>(({ sandboxId, tags }) => {
      sandboxes.get(sandboxId).tags = tags;
      return {};
    }),

    sandboxListV2: method<{ appId: string; beforeTimestamp: number; tags: SandboxTag[] }>(
      (request) => {
        const page = sandboxes
          .running()
          .filter(({ appId }) => appId === request.appId)
          .filter(
            ({ createdAt }) => !request.beforeTimestamp || createdAt < request.beforeTimestamp,
          )
          .filter(({ tags }) =>
            request.tags.every((wanted) => tags.some((tag) => isSameTag(tag, wanted))),
          )
          .sort((one, other) => other.createdAt - one.createdAt)
          .slice(0, pageSize);
        return { sandboxes: page.map(({ id, createdAt, tags }) => ({ id, createdAt, tags })) };
      },
    ),
  };
};

const isSameTag = (one: SandboxTag, other: SandboxTag): boolean =>
  one.tagName === other.tagName && one.tagValue === other.tagValue;

export const variablesOf = (sources: readonly SecretSource[]): Record<string, string> =>
  Object.assign({}, ...sources.map(({ env }) => env?.contents ?? {})) as Record<string, string>;

/** There is nothing in front of the sandbox that would speak TLS: a tunnel is the port itself. */
const tunnelsOf = ({ container, definition }: EmulatedSandbox): TunnelData[] =>
  (definition.openPorts?.ports ?? []).map(({ port, unencrypted }) => {
    const real = { host: "127.0.0.1", port: container.ports.get(port) ?? 0 };
    return {
      containerPort: port,
      ...real,
      ...(unencrypted && { unencryptedHost: real.host, unencryptedPort: real.port }),
    };
  });
