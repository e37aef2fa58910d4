/**
 * The connections to running sandboxes. Each is opened once per process and sandbox; the SDK gives an idle
 * one back by itself.
 */
import type { Sandbox } from "modal";
import type { SessionId } from "#contracts/ids";
import type { Machine } from "../../boot/machine.ts";
import type { SandboxDirectory } from "./directory.ts";
import { openModalMachine } from "./machine.ts";

export interface Handle {
  readonly sandbox: Sandbox;
  readonly machine: Machine;
}

export interface Handles {
  of(sessionId: SessionId, sandbox: Sandbox): Promise<Handle>;
  release(sandboxId: string): void;
  releaseAll(): void;
}

export const openHandles = (
  directory: Pick<SandboxDirectory, "urlOf">,
  choosePorts: Machine["choosePorts"],
): Handles => {
  const opened = new Map<string, { readonly sandbox: Sandbox; readonly handle: Promise<Handle> }>();

  const open = async (sessionId: SessionId, sandbox: Sandbox): Promise<Handle> => {
    const { sandboxId } = sandbox;
    const urlOf = (port: number) => directory.urlOf(sandboxId, port);
    try {
      return {
        sandbox,
        machine: await openModalMachine({ sandbox, sessionId, urlOf, choosePorts }),
      };
    } catch (error) {
      release(sandboxId);
      throw error;
    }
  };

  const release = (sandboxId: string): void => {
    opened.get(sandboxId)?.sandbox.detach();
    opened.delete(sandboxId);
  };

  return {
    of: (sessionId, sandbox) => {
      const known = opened.get(sandbox.sandboxId);
      if (known !== undefined) return known.handle;
      const handle = open(sessionId, sandbox);
      opened.set(sandbox.sandboxId, { sandbox, handle });
      return handle;
    },
    release,
    releaseAll: () => {
      for (const sandboxId of [...opened.keys()]) release(sandboxId);
    },
  };
};
