/** Follows the agent in a running sandbox, on top of what the transcript holds already. */
import { loadAggregate } from "#event-store/load";
import type { OpencodeClient } from "#sandbox/opencode/client";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { ExistingSession } from "../sessions/state.ts";
import { transcriptAggregate } from "../sessions/transcript-decider.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import type { OwnerContext } from "./owner-context.ts";

export interface FollowAgent {
  readonly sandbox: SandboxRef;
  readonly client: OpencodeClient;
  readonly agentSessionId: string;
  readonly prompts: ExistingSession["prompts"];
}

/** @throws DomainError `agent_unreachable` and others of the agent */
export const followAgent = async (
  context: OwnerContext,
  { sandbox, client, agentSessionId, prompts }: FollowAgent,
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
    isGone: () => isGone(context, sandbox),
    earlierPrompts: prompts.map(({ promptId }) => promptId),
  });
};

/** A provider that cannot be asked has not said so: then the agent is waited for. */
const isGone = async (
  { deps: { provider, log }, session }: OwnerContext,
  sandbox: SandboxRef,
): Promise<boolean> => {
  try {
    return (await provider.health(sandbox)).state !== "running";
  } catch (error) {
    log.warn({ err: error, sessionId: session }, "the health of a sandbox is not known");
    return false;
  }
};
