import type { SandboxCapabilities } from "./capabilities.ts";
import type { SandboxProvider } from "./provider.ts";

/** Which methods are there exactly when a flag is set. The contract suite holds every provider to it. */
export const optionalMethods = {
  checkSandboxes: "check",
  resolveTunnels: "tunnels",
  readFiles: "readFiles",
  execCommand: "exec",
  memorySnapshot: "memorySnapshot",
  restoreFromMemorySnapshot: "memorySnapshot",
  listSnapshots: "snapshotCatalogue",
  deleteSnapshot: "snapshotRemoval",
  createTerminalSandbox: "terminalSandbox",
  testServiceCommands: "serviceCommandTest",
} as const satisfies {
  readonly [M in OptionalMethod]: keyof SandboxCapabilities;
};

type OptionalMethod = {
  [K in keyof SandboxProvider]-?: undefined extends SandboxProvider[K] ? K : never;
}[keyof SandboxProvider];
