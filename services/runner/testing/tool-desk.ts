/** Stands in for the policy and the agent's server around the tools that ask: decides what a test says. */
import type { OpencodeClient } from "#sandbox/opencode/client";
import type { AgentToolDesk, ToolVerdict } from "../../actions/agent-tools/desk.ts";

export interface ToolDesk {
  readonly agentTools: AgentToolDesk;
  readonly client: Pick<OpencodeClient, "replyPermission">;
  /** By the id of the question; what is not in it waits. */
  readonly verdicts: Map<string, ToolVerdict>;
  /** The questions whose answer gets lost once, after it has arrived. */
  readonly losing: Set<string>;
  /** What was done, in order: `begin a`, `once a`, `end a released` … */
  readonly done: string[];
}

export const createToolDesk = (): ToolDesk => {
  const verdicts = new Map<string, ToolVerdict>();
  const losing = new Set<string>();
  const answered = new Set<string>();
  const begun = new Set<string>();
  const done: string[] = [];
  const note = (text: string): Promise<void> => {
    done.push(text);
    return Promise.resolve();
  };
  return {
    verdicts,
    losing,
    done,
    agentTools: {
      permissions: () => Promise.resolve(null),
      judge: (_, { id }) => Promise.resolve(verdicts.get(id) ?? { kind: "waiting" }),
      begin: (_, { id }) => {
        const first = !begun.has(id);
        begun.add(id);
        return note(`begin ${id}`).then(() => first);
      },
      end: (_, { id }, outcome) => note(`end ${id} ${outcome}`),
      withdraw: (_, { id }) => note(`withdraw ${id}`),
    },
    client: {
      replyPermission: async (id, { reply }) => {
        const waits = !answered.has(id);
        answered.add(id);
        await note(`${reply} ${id}`);
        if (losing.delete(id)) throw new Error("The connection broke off.");
        return waits;
      },
    },
  };
};
