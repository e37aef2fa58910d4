/**
 * The sandboxes of the app, each under its session's id, and its generation after the first, as its name. Modal lets a name be used by one running
 * sandbox at a time, so the name finds the sandbox whoever made it, and two owners cannot make two.
 */
import type { App, Image, ModalClient, Sandbox } from "modal";
import { DomainError } from "#contracts/errors";
import { idSchema, type SessionId } from "#contracts/ids";
import { standardPorts } from "../../boot/machine.ts";
import type { SandboxRef, SandboxTunnels } from "../../provider/sandbox.ts";
import { isGone, isNameTaken } from "./failures.ts";

export interface DirectoryOptions {
  readonly client: ModalClient;
  readonly appName: string;
  /** After this time Modal ends a sandbox. Whole seconds, at most a day. */
  readonly lifetimeMs: number;
  /** Reserved, in physical cores. */
  readonly cpu: number;
  /** Reserved. */
  readonly memoryMiB: number;
}

/** Which of the sandboxes: all that the directory goes by. */
export type Named = Pick<SandboxRef, "sessionId" | "generation">;

export interface NewSandbox extends Named {
  readonly image: Image;
  /** For everything that runs inside. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface SandboxDirectory {
  /** Null unless it runs. */
  find(named: Named): Promise<Sandbox | null>;
  /** Null when another sandbox runs under the same name. */
  create(wanted: NewSandbox): Promise<Sandbox | null>;
  /** The processes and files of a memory snapshot as a new sandbox; null as for `create`. */
  restore(named: Named, memorySnapshotId: string): Promise<Sandbox | null>;
  /** Ends it and waits until its name is free. Ending what is not there does nothing. */
  terminate(named: Named): Promise<void>;
  list(): Promise<readonly { readonly sessionId: SessionId; readonly sandboxId: string }[]>;
  /** Milliseconds since 1970; null for a sandbox that was not made here. */
  expiresAt(sandbox: Sandbox): Promise<number | null>;
  urlOf(sandboxId: string, port: number): Promise<string>;
  sshOf(sandboxId: string): Promise<SandboxTunnels["ssh"]>;
}

const sshPort = 22;
const tunnelTimeoutMs = 60_000;
const sessionTag = "session";
const expiryTag = "expires-at";

export const openDirectory = (options: DirectoryOptions): SandboxDirectory => {
  const { client, appName, lifetimeMs } = options;

  const app = (): Promise<App> => client.apps.fromName(appName, { createIfMissing: true });

  const tags = (sessionId: SessionId) => ({
    [sessionTag]: sessionId,
    [expiryTag]: String(Date.now() + lifetimeMs),
  });

  const find = async (named: Named): Promise<Sandbox | null> => {
    try {
      return await client.sandboxes.fromName(appName, nameOf(named));
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  };

  /** By a handle without a memory, which asks Modal each time. */
  const tunnelOf = async (sandboxId: string, port: number) => {
    const tunnels = await (await client.sandboxes.fromId(sandboxId)).tunnels(tunnelTimeoutMs);
    const tunnel = tunnels[port];
    if (tunnel === undefined) {
      throw new DomainError("sandbox_unavailable", `The sandbox has no tunnel to port ${port}.`);
    }
    return tunnel;
  };

  return {
    find,
    create: async ({ image, environment, ...named }) =>
      unlessNameTaken(async () =>
        client.sandboxes.create(await app(), image, {
          name: nameOf(named),
          timeoutMs: lifetimeMs,
          cpu: options.cpu,
          memoryMiB: options.memoryMiB,
          env: { ...environment },
          encryptedPorts: [standardPorts.opencode, standardPorts.preview],
          unencryptedPorts: [sshPort],
          tags: tags(named.sessionId),
          // Without it there are no memory snapshots of the sandbox.
          experimentalEnableSnapshot: true,
        }),
      ),
    restore: async (named, memorySnapshotId) =>
      unlessNameTaken(async () => {
        const snapshot = await client.sandboxSnapshots.fromId(memorySnapshotId);
        const name = { name: nameOf(named) };
        const sandbox = await client.sandboxes.experimentalFromSnapshot(snapshot, name);
        await sandbox.setTags(tags(named.sessionId));
        return sandbox;
      }),
    terminate: async (named) => {
      const sandbox = await find(named);
      try {
        await sandbox?.terminate({ wait: true });
      } catch (error) {
        if (!isGone(error)) throw error;
      } finally {
        sandbox?.detach();
      }
    },
    list: async () => {
      const { appId } = await app();
      const found: { sessionId: SessionId; sandboxId: string }[] = [];
      for await (const sandbox of client.sandboxes.list({ appId })) {
        const name = (await sandbox.getTags())[sessionTag];
        const sessionId = idSchema("session").safeParse(name).data;
        if (sessionId !== undefined) found.push({ sessionId, sandboxId: sandbox.sandboxId });
      }
      return found;
    },
    expiresAt: async (sandbox) => {
      const expiry = Number((await sandbox.getTags())[expiryTag]);
      return Number.isSafeInteger(expiry) ? expiry : null;
    },
    urlOf: async (sandboxId, port) => {
      const { url, tlsSocket } = await tunnelOf(sandboxId, port);
      // Only an emulator's tunnel is on this computer, and there is no TLS before it. The SDK does alike.
      const [host, at] = tlsSocket;
      return host === "127.0.0.1" ? `http://${host}:${at}` : url;
    },
    sshOf: async (sandboxId) => {
      const [host, port] = (await tunnelOf(sandboxId, sshPort)).tcpSocket;
      return { host, port };
    },
  };
};

const nameOf = ({ sessionId, generation = 0 }: Named): string =>
  generation === 0 ? sessionId : `${sessionId}-${generation}`;

const unlessNameTaken = async (make: () => Promise<Sandbox>): Promise<Sandbox | null> => {
  try {
    return await make();
  } catch (error) {
    if (isNameTaken(error)) return null;
    throw error;
  }
};
