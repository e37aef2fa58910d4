/** The end of a sandbox's processes, and whether its server can be used again. */
import { rm } from "node:fs/promises";
import { DomainError } from "#contracts/errors";
import { waitUntilReady } from "../../boot/readiness.ts";
import { opencodeAuthorization } from "../../opencode/config.ts";
import { disposeServer } from "../../opencode/dispose.ts";
import type { Layout } from "./layout.ts";
import { endSandboxProcesses, isSameProcess, type EndLimits } from "./processes.ts";
import { readRunRecord, removeRunRecord, type RunRecord } from "./run-record.ts";

/** Shells and servers of the agent get a moment to end by themselves. */
export const endLimits: EndLimits = { graceMs: 1_000, timeoutMs: 15_000 };
const attachLimits = { timeoutMs: 15_000, firstPauseMs: 50, longestPauseMs: 500 };

/**
 * Lets OpenCode end its turns first: it then kills its shells and closes the open parts of its messages,
 * which would stay open in its database for ever. Then everything is ended that is left.
 */
export const stopServer = async (layout: Layout): Promise<void> => {
  const record = await readRunRecord(layout);
  if (record !== null && (await isSameProcess(record))) {
    await disposeServer(record.baseUrl, opencodeAuthorization(record.password));
  }
  await endSandboxProcesses(layout.id, endLimits);
  await removeRunRecord(layout);
  // Each start of OpenCode unpacks its libraries there.
  await rm(layout.temporary, { recursive: true, force: true });
};

/** Whether the recorded server is that process still, and works. */
export const answers = async (record: RunRecord, signal: AbortSignal): Promise<boolean> => {
  const server = {
    baseUrl: record.baseUrl,
    running: () => isSameProcess(record),
    logTail: () => Promise.resolve(""),
    stop: () => Promise.resolve(),
  };
  if (!(await server.running())) return false;
  const authorization = opencodeAuthorization(record.password);
  return waitUntilReady({ server, authorization, signal, limits: attachLimits }).then(
    () => true,
    (error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof DomainError) return false; // It hangs: it is ended and launched again.
      throw error;
    },
  );
};
