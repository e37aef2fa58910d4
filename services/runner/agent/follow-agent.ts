/** Follows the agent in a running sandbox, on top of what the transcript holds already. */
import { loadAggregate } from "#event-store/aggregates/load";
import type { AgentEndpoint } from "#sandbox/boot/attach";
import { isHealthy } from "#sandbox/boot/readiness";
import { type OpencodeClient, openOpencodeClient } from "#sandbox/opencode/client";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import { transcriptAggregate } from "../../sessions/transcript/transcript-decider.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import type { OwnerContext } from "../owner-context.ts";

export interface AgentAccess {
  readonly client: OpencodeClient;
  readonly endpoint: AgentEndpoint;
  /** Breaks off the client's calls. */
  readonly ending: AbortController;
}

export const openAgent = (endpoint: AgentEndpoint): AgentAccess => {
  const ending = new AbortController();
  return { client: openOpencodeClient({ ...endpoint, signal: ending.signal }), endpoint, ending };
};

export interface FollowAgent {
  readonly sandbox: SandboxRef;
  readonly agent: AgentAccess;
  readonly agentSessionId: string;
  readonly prompts: ExistingSession["prompts"];
}

/** @throws DomainError `agent_unreachable` and others of the agent */
export const followAgent = async (
  context: OwnerContext,
  { sandbox, agent: { client, endpoint, ending }, agentSessionId, prompts }: FollowAgent,
): Promise<Conversation> => {
  const { deps, organization, session } = context;
  const transcript = await loadAggregate(deps.store, transcriptAggregate, {
    organization,
    id: session,
  });
  return openConversation(context, {
    client,
    agentSessionId,
    recorded: new Set(Object.keys(transcript.state.digests)),
    ending,
    isGone: () => isGone(context, sandbox),
    answers: (withinMs) => isHealthy(endpoint, AbortSignal.timeout(withinMs)),
    earlierPrompts: prompts.map(({ promptId }) => promptId),
  });
};

/** A provider that cannot be asked has not said so: then the agent is waited for. */
const isGone = async (
  { deps: { provider, log }, session }: OwnerContext,
  sandbox: SandboxRef,
): Promise<boolean> => {
  try {
    const health = await provider.health(sandbox);
    return health.state !== "running" || health.agent === "ended";
  } catch (error) {
    log.warn({ err: error, sessionId: session }, "the health of a sandbox is not known");
    return false;
  }
};
