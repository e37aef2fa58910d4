/**
 * Stands in for a sandbox provider's cloud, in the test's own process, so that sandboxes outlive the runners
 * that are killed. Sandboxes are stand-ins of agents with conversations, snapshots are copies of these, and
 * each operation can be held up or refused. `hosted-provider.ts` is how runners reach it.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { idSchema } from "#contracts/ids";
import { answer, type Pace } from "./agent-conversation.ts";
import { type AgentServer, bodyOf, startAgentServer } from "./agent-server.ts";
import type { AgentAnswer, StoredConversation } from "./agent-turn.ts";
import { createGate, type Gate } from "./gate.ts";
import { createServicesStandIn } from "./services-stand-in.ts";

export type HostOperation = "ensure" | "create" | "snapshot" | "pause" | "terminate" | "health";

const callSchema = z.object({
  sessionId: idSchema("session"),
  generation: z.number().default(0),
  snapshotId: z.string().nullable(),
});
type Call = z.infer<typeof callSchema>;

interface HostedSandbox {
  readonly id: string;
  conversations: Map<string, StoredConversation>;
  /** Null while it is paused, or the agent's server has ended. */
  agent: AgentServer | null;
  agentEnded: boolean;
  readonly expiresAt: number | null;
}

export interface SandboxHost {
  readonly url: string;
  /** Holds the next calls of this operation up, from every runner. */
  hold(operation: HostOperation): Gate;
  /** Refuses so many of the next calls of this operation, as a provider that is away does. */
  refuse(operation: HostOperation, times: number): void;
  /** Holds services up that are to be started in any sandbox. */
  holdServices(): Gate;
  /** Holds answers up before their tool calls end, or after so many words. */
  holdAnswers(step: "tool" | "word", words?: number): Gate;
  /** The sandboxes that run, as `<session>#<generation>`. */
  running(): readonly string[];
  paused(): readonly string[];
  /** Ends the agent's server of a running sandbox without a word. What it has stored is there for the next one. */
  killAgent(name: string): Promise<void>;
  /** How many owners follow the agent of a running sandbox. */
  followers(name: string): number;
  /** How long sandboxes that are made from now on may run. */
  setLifetime(ms: number | null): void;
  close(): Promise<void>;
}

/** @param answerWith in place of an answer in words at the pace that the test says */
export const startSandboxHost = async (answerWith?: AgentAnswer): Promise<SandboxHost> => {
  const sandboxes = new Map<string, HostedSandbox>();
  const snapshots = new Map<string, readonly StoredConversation[]>();
  const gates = new Map<HostOperation, Gate>();
  const refusals = new Map<HostOperation, number>();
  const answers = new Map<"tool" | "word", Gate>();
  const services = new Map<"start", Gate>();
  let lifetimeMs: number | null = null;
  let made = 0;

  const pace: Pace = async (step) => answers.get(step)?.pass();
  const answering: AgentAnswer =
    answerWith ?? ((conversation, prompt, turn) => answer(conversation, prompt, { ...turn, pace }));
  const nameOf = ({ sessionId, generation }: Call): string => `${sessionId}#${generation}`;

  const terminate = async (call: Call): Promise<null> => {
    const name = nameOf(call);
    const sandbox = sandboxes.get(name);
    sandboxes.delete(name);
    await sandbox?.agent?.close();
    return null;
  };

  const make = async (call: Call) => {
    made += 1;
    const kept = call.snapshotId === null ? undefined : snapshots.get(call.snapshotId);
    const conversations = new Map(structuredClone(kept ?? []).map((each) => [each.id, each]));
    const sandbox: HostedSandbox = {
      id: `sandbox-${made}`,
      conversations,
      agent: await startAgentServer(conversations, answering),
      agentEnded: false,
      expiresAt: lifetimeMs === null ? null : Date.now() + lifetimeMs,
    };
    sandboxes.set(nameOf(call), sandbox);
    return viewOf(sandbox, kept ? "restored" : "created");
  };

  const operations: Readonly<Record<HostOperation, (call: Call) => unknown>> = {
    ensure: async (call) => {
      const present = sandboxes.get(nameOf(call));
      if (!present) return make(call);
      if (present.agent) return viewOf(present, "attached");
      present.agent = await startAgentServer(present.conversations, answering);
      present.agentEnded = false;
      return viewOf(present, "resumed");
    },
    create: async (call) => {
      await terminate(call);
      return make(call);
    },
    snapshot: (call) => {
      const present = sandboxes.get(nameOf(call));
      if (!present) throw new Error("There is no such sandbox.");
      const id = `snapshot-${snapshots.size + 1}`;
      snapshots.set(id, structuredClone([...present.conversations.values()]));
      return id;
    },
    pause: async (call) => {
      const present = sandboxes.get(nameOf(call));
      const agent = present?.agent;
      if (present) present.agent = null;
      await agent?.close();
      return null;
    },
    terminate,
    health: (call) => {
      const present = sandboxes.get(nameOf(call));
      if (!present) return "gone";
      if (present.agentEnded) return "agent_ended";
      return present.agent ? "running" : "paused";
    },
  };

  const namesOf = (wanted: (sandbox: HostedSandbox) => boolean): readonly string[] =>
    [...sandboxes].flatMap(([name, sandbox]) => (wanted(sandbox) ? [name] : []));

  const carryOut = async (operation: HostOperation, body: unknown): Promise<unknown> => {
    await gates.get(operation)?.pass();
    const left = refusals.get(operation) ?? 0;
    if (left > 0) {
      refusals.set(operation, left - 1);
      throw new Error("The provider is away.");
    }
    return operations[operation](callSchema.parse(body));
  };

  const answerForSidecar = createServicesStandIn(async () => services.get("start")?.pass());

  const server = createServer((request, response) => {
    if (answerForSidecar(request, response)) return;
    const operation = (request.url ?? "").slice(1) as HostOperation;
    (async () => carryOut(operation, await bodyOf(request)))().then(
      (result) => response.end(JSON.stringify(result)),
      (error: unknown) => response.writeHead(503).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (operation) => keep(gates, operation),
    refuse: (operation, times) => void refusals.set(operation, times),
    holdServices: () => keep(services, "start"),
    holdAnswers: (step, words) => keep(answers, step, words),
    running: () => namesOf((sandbox) => sandbox.agent !== null),
    paused: () => namesOf((sandbox) => sandbox.agent === null && !sandbox.agentEnded),
    killAgent: async (name) => {
      const sandbox = sandboxes.get(name);
      const agent = sandbox?.agent;
      if (!sandbox || !agent) throw new Error("There is no such agent.");
      // What an answer does that was cut off in the middle, nobody stores any more.
      sandbox.conversations = structuredClone(sandbox.conversations);
      sandbox.agent = null;
      sandbox.agentEnded = true;
      await agent.close();
    },
    followers: (name) => sandboxes.get(name)?.agent?.followers() ?? 0,
    setLifetime: (ms) => {
      lifetimeMs = ms;
    },
    close: async () => {
      for (const gate of [...gates.values(), ...services.values(), ...answers.values()])
        gate.open();
      await Promise.all(
        [...sandboxes.values()].flatMap(({ agent }) => (agent ? [agent.close()] : [])),
      );
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const keep = <Key>(gates: Map<Key, Gate>, key: Key, free = 0): Gate => {
  const gate = createGate(free);
  gates.set(key, gate);
  return gate;
};

const viewOf = ({ id, agent, expiresAt }: HostedSandbox, origin: string) => ({
  sandboxId: id,
  baseUrl: agent?.baseUrl,
  expiresAt,
  origin,
});
