/**
 * The agent's tools that wait for leave, as the session's owner sees to them: each is brought before the
 * policy, and answered when it is decided on. Nothing here has to be remembered: the agent's server lists what
 * waits, and the log how it was decided, so the next owner goes on from both.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ToolAsk } from "#contracts/agent";
import type { OpencodeClient, PermissionReply } from "#sandbox/opencode/client";
import type { ToolVerdict } from "../../actions/agent-tools/desk.ts";
import { createBell } from "../bell.ts";
import type { OwnerContext } from "../owner-context.ts";

export interface ToolAsks {
  /** All that waits now. What is missing has been answered otherwise, or its turn has ended. */
  update(asks: readonly ToolAsk[]): void;
  /** Something may have been decided on. */
  look(): void;
  close(): Promise<void>;
}

type ToolAsksContext = Pick<OwnerContext, "organization" | "session"> & {
  readonly deps: Pick<OwnerContext["deps"], "agentTools" | "log">;
};

/** How long after a failure it is tried again, in milliseconds. */
const retryMs = 1_000;

export const openToolAsks = (
  { organization, session: sessionId, deps: { agentTools, log } }: ToolAsksContext,
  client: Pick<OpencodeClient, "replyPermission">,
): ToolAsks => {
  const key = { organization, sessionId };
  const waiting = new Map<string, ToolAsk>();
  const gone = new Map<string, ToolAsk>();
  /** By this owner: that they wait no more says nothing about them. */
  const answered = new Set<string>();
  const bell = createBell();
  const closing = new AbortController();

  /** False if the tool did not wait any more. */
  const answer = async (ask: ToolAsk, reply: PermissionReply): Promise<boolean> => {
    answered.add(ask.id);
    try {
      return await client.replyPermission(ask.id, reply);
    } catch (error) {
      answered.delete(ask.id);
      throw error;
    }
  };

  const release = async (ask: ToolAsk): Promise<void> => {
    // Recorded first: who dies after this leaves an outcome that is unknown, and nothing that ran unseen.
    const first = await agentTools.begin(key, ask);
    const released = await answer(ask, { reply: "once" });
    await agentTools.end(key, ask, released ? "released" : first ? "gone" : "unknown");
    waiting.delete(ask.id);
  };

  const refuse = async (ask: ToolAsk, message: string): Promise<void> => {
    await answer(ask, { reply: "reject", message });
    waiting.delete(ask.id);
  };

  const seeToAll = async (): Promise<void> => {
    for (const [id, ask] of [...gone]) {
      await agentTools.withdraw(key, ask);
      gone.delete(id);
    }
    const judged: Judged[] = [];
    for (const ask of [...waiting.values()]) {
      const verdict = await agentTools.judge(key, ask);
      if (verdict.kind === "allowed") await release(ask);
      else judged.push({ ask, verdict });
    }
    for (const { ask, reason } of refusable(judged)) await refuse(ask, reason);
  };

  const working = (async () => {
    for (;;) {
      await bell.wait(closing.signal);
      if (closing.signal.aborted) return;
      try {
        await seeToAll();
      } catch (error) {
        log.warn({ err: error, sessionId }, "a tool that asks for leave could not be seen to");
        // Called off by the close, after which the loop ends.
        await delay(retryMs, undefined, { signal: closing.signal }).catch(() => undefined);
        bell.ring();
      }
    }
  })();

  return {
    update: (asks) => {
      const listed = new Set(asks.map(({ id }) => id));
      for (const [id, ask] of waiting) {
        if (listed.has(id) || answered.has(id)) continue;
        waiting.delete(id);
        gone.set(id, ask);
      }
      for (const ask of asks) if (!answered.has(ask.id)) waiting.set(ask.id, ask);
      bell.ring();
    },
    look: () => {
      if (waiting.size > 0) bell.ring();
    },
    close: async () => {
      closing.abort();
      await working;
    },
  };
};

interface Judged {
  readonly ask: ToolAsk;
  readonly verdict: Exclude<ToolVerdict, { readonly kind: "allowed" }>;
}

/**
 * The questions that can be refused now. The agent's server takes the refusal of one for that of all that wait
 * in the same conversation, so refusals wait until nothing else does; it costs no time, because the agent goes
 * on only when all of its tools have ended. Pure.
 */
const refusable = (
  judged: readonly Judged[],
): readonly { readonly ask: ToolAsk; readonly reason: string }[] => {
  const undecided = new Set(
    judged.filter(({ verdict }) => verdict.kind === "waiting").map(({ ask }) => ask.conversation),
  );
  return judged.flatMap(({ ask, verdict }) =>
    verdict.kind === "refused" && !undecided.has(ask.conversation)
      ? [{ ask, reason: verdict.reason }]
      : [],
  );
};
