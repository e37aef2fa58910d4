/** An account at the emulated E2B, with a stand-in or the real program for the agent. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { standardPorts, type SandboxPorts } from "../../../boot/machine.ts";
import { makeAgentStandIn } from "../../../testing/agent-stand-in.ts";
import { startE2bEmulator, type E2bEmulator } from "../../../testing/e2b-emulator/emulator.ts";
import { makeRepository } from "../../../testing/repository.ts";
import type { E2bSettings } from "../settings.ts";

export interface EmulatedAccount extends AsyncDisposable {
  readonly emulator: E2bEmulator;
  readonly settings: E2bSettings;
  readonly repositoryUrl: string;
  /** Where the sandboxes' files are. */
  readonly directory: string;
}

/**
 * @param opencode path of the agent's program; a stand-in's without
 * @param programs more of the image's: the name inside, and the file on this computer
 */
export const openEmulatedAccount = async (
  opencode?: string,
  programs: Readonly<Record<string, string>> = {},
): Promise<EmulatedAccount> => {
  const folder = await mkdtemp(path.join(tmpdir(), "proliferate-e2b-"));
  const directory = path.join(folder, "sandboxes");
  const apiKey = "e2b_0123456789abcdef0123456789abcdef";
  const emulator = await startE2bEmulator({
    directory,
    apiKey,
    templates: ["agents"],
    programs: {
      opencode: opencode ?? (await makeAgentStandIn(path.join(folder, "agent"))),
      node: process.execPath,
      ...programs,
    },
    ports: Object.values(standardPorts),
    namesProcesses: [".proliferate/run"],
  });
  return {
    emulator,
    directory,
    settings: {
      apiKey,
      template: "agents",
      namespace: "test",
      apiUrl: emulator.url,
      sandboxUrl: emulator.url,
      portsOf: (sandboxId) => {
        const outside = emulator.sandboxes.get(sandboxId)?.ports ?? new Map<number, number>();
        const port = (name: keyof SandboxPorts) =>
          outside.get(standardPorts[name]) ?? standardPorts[name];
        return { opencode: port("opencode"), preview: port("preview"), sidecar: port("sidecar") };
      },
      tunnelUrl: (host) => emulator.tunnelUrl(host),
    },
    repositoryUrl: await makeRepository(path.join(folder, "repository")),
    [Symbol.asyncDispose]: async () => {
      await emulator[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
