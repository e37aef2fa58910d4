/** An approval "always" is also a decision about the future: it sets the organisation's mode. */
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { reactionId, startReactor } from "#event-store/workers/reactor";
import type { Worker } from "#event-store/workers/worker";
import { changePolicy } from "../policy/commands.ts";
import { reviewedDefinitionHash } from "../policy/reviewed-definition.ts";
import { requireInvocation } from "./invocation-log.ts";
import { invocationEventsOf, keyOf, reactionMeta } from "./reaction.ts";
import type { ActionRegistry } from "./registry.ts";

const name = "always-allow";

/**
 * A reactor and not a part of the approving request, so that the second half is not lost when the
 * process dies after the first.
 */
export const startAlwaysAllow = (
  store: EventStore,
  { registry, log }: { readonly registry: ActionRegistry; readonly log: Log },
): Promise<Worker> =>
  startReactor(store, {
    name,
    aggregates: ["invocation"],
    events: ["ActionApproved"],
    log,
    react: async (recorded) => {
      const approval = invocationEventsOf(recorded).find(
        (event) => event.type === "ActionApproved",
      );
      if (approval?.data.scope !== "always") return;
      const key = keyOf(recorded);
      const { integration, action } = (await requireInvocation(store, key)).state.request;
      const { actor } = recorded.commit.meta;
      // In the approver's name: the audit trail of the policy then says who wanted it.
      const meta = { ...reactionMeta(recorded, name, reactionId(recorded, name)), actor };
      const allowed = { integration, action, mode: "allow" } as const;
      const definitionHash = await reviewedDefinitionHash(registry, key.organization, allowed);
      const command = { type: "SetActionMode", ...allowed, definitionHash } as const;
      await changePolicy(store, key.organization, command, meta);
    },
  });
