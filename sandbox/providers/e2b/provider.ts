/**
 * Sandboxes at E2B, in its cloud or self-hosted, through its own SDK.
 *
 * E2B keeps all state: which sandboxes there are and whose they are (their metadata name the session), and
 * in each sandbox its files, memory and processes. A snapshot is a template that was made of a sandbox, and
 * lives on without it.
 */
import { DomainError } from "#contracts/errors";
import { runningHealth } from "../../boot/attach.ts";
import { secretsOf } from "../../boot/essentials.ts";
import { writeEnvValues } from "../../boot/env-file.ts";
import { readFilesThrough } from "../../boot/read-files.ts";
import { tunnelsOf } from "../../boot/tunnels.ts";
import { asProvider } from "../../provider/error.ts";
import type { SandboxProvider } from "../../provider/provider.ts";
import type { SandboxHealth } from "../../provider/sandbox.ts";
import type { WorkspaceSpec } from "../../provider/spec.ts";
import { testServiceCommandsThrough } from "../../provider/service-commands.ts";
import { sessionLocks } from "../session-locks.ts";
import { openApi } from "./api.ts";
import { e2bLifecycle } from "./lifecycle.ts";
import { checkAll, locate } from "./locate.ts";
import { renewEvery } from "./renewals.ts";
import { defaultTimeoutMs, type E2bSettings } from "./settings.ts";

export type E2bProvider = Required<
  Omit<SandboxProvider, "memorySnapshot" | "restoreFromMemorySnapshot" | "listSnapshots">
>;

/** Makes no call: a wrong key or an unknown template shows at the first one. */
export const openE2bProvider = (settings: E2bSettings): E2bProvider => {
  const api = openApi(settings);
  const renewals = renewEvery((settings.timeoutMs ?? defaultTimeoutMs) / 3, (id) => api.renew(id));
  const closing = new AbortController();
  const lifecycle = e2bLifecycle({ settings, api, renewals, closing: closing.signal });
  const exclusively = sessionLocks();

  const named = <T>(
    operation: keyof SandboxProvider & string,
    run: () => Promise<T>,
    spec?: WorkspaceSpec,
  ): Promise<T> => {
    const secrets = [settings.apiKey, ...(spec ? secretsOf(spec) : [])];
    return asProvider({ provider: "e2b", operation, secrets }, run);
  };

  return {
    type: "e2b",
    capabilities: {
      pause: true,
      autoPause: true,
      memorySnapshot: false,
      snapshotCatalogue: false,
      snapshotRemoval: true,
      snapshotHeld: true,
      isolated: true,
      check: true,
      tunnels: true,
      readFiles: true,
      exec: true,
      terminalSandbox: true,
      serviceCommandTest: true,
    },
    ensureSandbox: (request) =>
      named(
        "ensureSandbox",
        () => exclusively(request.sessionId, () => lifecycle.ensure(request)),
        request.spec,
      ),
    createSandbox: (request) =>
      named(
        "createSandbox",
        () => exclusively(request.sessionId, () => lifecycle.create(request)),
        request.spec,
      ),
    createTerminalSandbox: (request) =>
      named(
        "createTerminalSandbox",
        () => exclusively(request.sessionId, () => lifecycle.createTerminal(request)),
        request.spec,
      ),
    snapshot: (ref) =>
      named("snapshot", () => exclusively(ref.sessionId, () => lifecycle.snapshot(ref))),
    deleteSnapshot: (snapshotId) => named("deleteSnapshot", () => api.deleteSnapshot(snapshotId)),
    pause: (ref) => named("pause", () => exclusively(ref.sessionId, () => lifecycle.pause(ref))),
    handOver: ({ sandboxId }) => {
      if (sandboxId !== null) renewals.drop(sandboxId);
    },
    terminate: (ref) =>
      named("terminate", () => exclusively(ref.sessionId, () => lifecycle.remove(ref))),
    writeEnvFile: (ref, values) =>
      named("writeEnvFile", async () => writeEnvValues(await lifecycle.running(ref), values)),
    health: (ref) =>
      named("health", async (): Promise<SandboxHealth> => {
        const found = await locate(api, ref);
        if (found === null) {
          return { state: "gone", agent: "ended", detail: "There is no such sandbox." };
        }
        if (found.state === "paused") {
          return { state: "paused", agent: "ended", detail: "The sandbox is paused." };
        }
        return runningHealth(await lifecycle.open(found.id));
      }),
    checkSandboxes: (refs) => named("checkSandboxes", () => checkAll(api, refs)),
    resolveTunnels: (ref) =>
      named("resolveTunnels", async () => {
        const machine = await lifecycle.running(ref);
        return tunnelsOf(machine, machine.ports);
      }),
    readFiles: (ref, paths) =>
      named("readFiles", async () => readFilesThrough(await lifecycle.running(ref), paths)),
    execCommand: (ref, argv, options) =>
      named("execCommand", async () => (await lifecycle.running(ref)).exec(argv, options)),
    testServiceCommands: (ref, commands) =>
      named("testServiceCommands", async () => {
        const { exec, workspace } = await lifecycle.running(ref);
        return testServiceCommandsThrough(exec, workspace, commands);
      }),
    [Symbol.asyncDispose]: () => {
      // What has been handed out goes on: E2B pauses it unless another control plane takes it over.
      closing.abort(new DomainError("sandbox_unavailable", "The sandbox provider is closing."));
      renewals.close();
      return Promise.resolve();
    },
  };
};
