/** Goes on with the agent's server that an earlier boot has left running, in whichever process that was. */
import { DomainError } from "#contracts/errors";
import { opencodeAuthorization } from "../opencode/config.ts";
import type { AgentHealth, SandboxHealth } from "../provider/sandbox.ts";
import type { SandboxSpec } from "../provider/spec.ts";
import { readBootRecord, settingsFingerprint, type BootRecord } from "./boot-record.ts";
import type { Machine } from "./machine.ts";
import { isHealthy, waitUntilReady } from "./readiness.ts";

export interface AgentEndpoint {
  readonly baseUrl: string;
  /** The whole value of the header. */
  readonly authorization: string;
}

const attachLimits = { timeoutMs: 15_000 };

export interface AttachRequest {
  readonly machine: Machine;
  readonly spec: SandboxSpec;
  readonly signal: AbortSignal;
}

/** Null when no server runs, it does not answer, or it was launched with other settings. */
export const attachServer = async ({
  machine,
  spec,
  signal,
}: AttachRequest): Promise<AgentEndpoint | null> => {
  const record = await readBootRecord(machine.record);
  if (!record?.whole || record.settings !== settingsFingerprint(spec, machine)) return null;
  const program = await machine.find("opencode");
  if (program === null) return null;
  const endpoint = await endpointOf(machine, record);
  try {
    await waitUntilReady({ program, ...endpoint, signal, limits: attachLimits });
    return endpoint;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DomainError) return null; // It hangs: it is ended and launched again.
    throw error;
  }
};

/** Where the server is that the record tells of, whether or not it runs. */
export const endpointOf = async (machine: Machine, record: BootRecord): Promise<AgentEndpoint> => ({
  baseUrl: await machine.urlOf(record.ports.opencode),
  authorization: opencodeAuthorization(record.password),
});

/** How the agent's server is now; one question, no patience. */
const agentHealth = async (machine: Machine): Promise<AgentHealth> => {
  const record = await readBootRecord(machine.record);
  if (record !== null && (await isHealthy(await endpointOf(machine, record)))) return "answers";
  return (await machine.find("opencode")) === null ? "ended" : "silent";
};

const details: Readonly<Record<AgentHealth, string | null>> = {
  answers: null,
  silent: "The agent's server does not answer.",
  ended: "The agent's server has ended.",
};

/** Of a sandbox that runs. */
export const runningHealth = async (machine: Machine): Promise<SandboxHealth> => {
  const agent = await agentHealth(machine);
  return { state: "running", agent, detail: details[agent] };
};
