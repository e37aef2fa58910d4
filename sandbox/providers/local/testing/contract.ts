/** Test support: the contract's tests on local sandboxes, fenced or not. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeAgentStandIn } from "../../../testing/agent-stand-in.ts";
import { describeProvider } from "../../../testing/provider-contract/index.ts";
import { makeRepository } from "../../../testing/repository.ts";
import { openLocalProvider, type LocalProviderOptions } from "../provider.ts";
import { layoutOf } from "../layout.ts";
import { findSandboxProcesses } from "../processes.ts";
import { killIfThere } from "./kill-if-there.ts";

export const describeLocalProvider = (
  isolation: Pick<LocalProviderOptions, "isolation" | "bubblewrap">,
): void =>
  describeProvider({
    type: "local",
    capabilities: {
      pause: true,
      autoPause: false,
      memorySnapshot: false,
      snapshotCatalogue: true,
      snapshotRemoval: true,
      snapshotHeld: false,
      check: true,
      tunnels: true,
      readFiles: true,
      exec: true,
      terminalSandbox: true,
      serviceCommandTest: true,
    },
    harness: async () => {
      const folder = await mkdtemp(path.join(tmpdir(), "proliferate-local-contract-"));
      const dataDir = path.join(folder, "data");
      const opencodeBinary = await makeAgentStandIn(path.join(folder, "agent"));
      return {
        open: () =>
          openLocalProvider({ ...isolation, dataDir, localRepositories: "allow", opencodeBinary }),
        repositoryUrl: await makeRepository(path.join(folder, "repository")),
        kill: async ({ sandboxId }) => {
          for (const { pid } of await findSandboxProcesses(sandboxId)) killIfThere(pid);
        },
        leftovers: async ({ sessionId }) => {
          const { id, root } = layoutOf(dataDir, sessionId);
          const processes = (await findSandboxProcesses(id)).map(({ pid }) => `process ${pid}`);
          return [...processes, ...(existsSync(root) ? [root] : [])];
        },
        close: () => rm(folder, { recursive: true, force: true }),
      };
    },
  });
