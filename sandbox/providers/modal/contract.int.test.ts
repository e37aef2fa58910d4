/** On an emulated Modal: see `sandbox/testing/modal-emulator` for what that does not show. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeAgentStandIn } from "../../testing/agent-stand-in.ts";
import { openModalEmulator } from "../../testing/modal-emulator/index.ts";
import { describeProvider } from "../../testing/provider-contract/index.ts";
import { makeRepository } from "../../testing/repository.ts";
import { expectedCapabilities } from "./testing/expected-capabilities.ts";
import { providerOn } from "./testing/provider-on.ts";

describeProvider({
  type: "modal",
  capabilities: expectedCapabilities,
  harness: async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "proliferate-modal-contract-"));
    const opencode = await makeAgentStandIn(path.join(folder, "agent"));
    const emulator = await openModalEmulator({ programs: { opencode } });
    return {
      open: () => Promise.resolve(providerOn(emulator)),
      repositoryUrl: await makeRepository(path.join(folder, "repository")),
      kill: ({ sandboxId }) => emulator.kill(sandboxId),
      leftovers: ({ sessionId }) => {
        const running = emulator.running().filter(({ name }) => name === sessionId);
        const folders = [emulator.folderOf(sessionId)].filter((name) => existsSync(name));
        return Promise.resolve([...running.map(({ sandboxId }) => sandboxId), ...folders]);
      },
      close: async () => {
        await emulator[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
});
