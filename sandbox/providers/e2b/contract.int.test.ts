import { existsSync } from "node:fs";
import path from "node:path";
import { describeProvider } from "../../testing/provider-contract/index.ts";
import { findSandboxProcesses } from "../local/processes.ts";
import { openE2bProvider } from "./index.ts";
import { openEmulatedAccount } from "./testing/emulated-account.ts";

/** Through the real SDK, against the emulated service. */
describeProvider({
  type: "e2b",
  capabilities: {
    pause: true,
    autoPause: true,
    memorySnapshot: false,
    snapshotCatalogue: false,
    snapshotRemoval: true,
    snapshotHeld: true,
    check: true,
    tunnels: true,
    readFiles: true,
    exec: true,
    terminalSandbox: true,
    serviceCommandTest: true,
  },
  harness: async () => {
    const account = await openEmulatedAccount();
    const { emulator, settings, repositoryUrl } = account;
    /** By session, since a failed boot tells nobody its sandbox's id. */
    const ofSession = (sessionId: string) =>
      emulator.sandboxes
        .list()
        .filter(({ metadata }) => Object.values(metadata).includes(sessionId));
    return {
      open: () => Promise.resolve(openE2bProvider(settings)),
      repositoryUrl,
      kill: async ({ sandboxId }) => {
        for (const { pid } of await findSandboxProcesses(sandboxId)) process.kill(pid, "SIGKILL");
      },
      leftovers: async ({ sessionId, sandboxId }) => {
        const left = ofSession(sessionId).map(({ id }) => `sandbox ${id}`);
        if (sandboxId === null) return left;
        const processes = await findSandboxProcesses(sandboxId);
        const folder = path.join(account.directory, sandboxId);
        return [
          ...left,
          ...processes.map(({ pid }) => `process ${pid}`),
          ...(existsSync(folder) ? [folder] : []),
        ];
      },
      close: async () => {
        await account[Symbol.asyncDispose]();
      },
    };
  },
});
