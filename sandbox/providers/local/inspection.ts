/** How local sandboxes are, without touching them. */
import { access, readdir } from "node:fs/promises";
import { runningHealth } from "../../boot/attach.ts";
import type { Machine } from "../../boot/machine.ts";
import type { SandboxHealth, SandboxState } from "../../provider/sandbox.ts";
import type { SessionId } from "#contracts/ids";
import { sandboxesFolder, sessionOfFolder, type Layout } from "./layout.ts";

/** By the agent's server, or where there is no agent by the sidecar. */
export const isRunning = async (machine: Machine): Promise<boolean> =>
  (await machine.find("opencode")) !== null || (await machine.find("sidecar")) !== null;

export const stateOf = async (layout: Layout, machine: Machine): Promise<SandboxState> => {
  if (await isRunning(machine)) return "running";
  return (await exists(layout.root)) ? "paused" : "gone";
};

export const healthOf = async (layout: Layout, machine: Machine): Promise<SandboxHealth> => {
  const state = await stateOf(layout, machine);
  switch (state) {
    case "running":
      return runningHealth(machine);
    case "paused":
      return { state, agent: "ended", detail: "Nothing runs in the sandbox." };
    case "gone":
      return { state, agent: "ended", detail: "There is no such sandbox." };
  }
};

/** The sessions that have a sandbox here. */
export const sessionsWithSandbox = async (dataDir: string): Promise<readonly SessionId[]> => {
  const names = await readdir(sandboxesFolder(dataDir)).catch(() => []); // No folder: no sandboxes.
  return names.flatMap((name) => sessionOfFolder(name) ?? []);
};

export const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
