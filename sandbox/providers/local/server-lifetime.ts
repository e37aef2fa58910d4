/** The end of a sandbox's processes. */
import { rm } from "node:fs/promises";
import { endpointOf } from "../../boot/attach.ts";
import { readBootRecord } from "../../boot/boot-record.ts";
import type { Machine } from "../../boot/machine.ts";
import { disposeServer } from "../../opencode/dispose.ts";
import type { Layout } from "./layout.ts";
import { endSandboxProcesses } from "./processes.ts";
import { clearRunFolder } from "./run-folder.ts";

/**
 * Lets OpenCode end its turns first: it then kills its shells and closes the open parts of its messages,
 * which would stay open in its database for ever. Then everything is ended that is left.
 */
export const stopPrograms = async (layout: Layout, machine: Machine): Promise<void> => {
  const record = await readBootRecord(machine.record);
  if (record !== null && (await machine.find("opencode")) !== null) {
    const { baseUrl, authorization } = await endpointOf(machine, record);
    await disposeServer(baseUrl, authorization);
  }
  await endSandboxProcesses(layout.id);
  await clearRunFolder(layout);
  // Each start of OpenCode unpacks its libraries there.
  await rm(layout.temporary, { recursive: true, force: true });
};
