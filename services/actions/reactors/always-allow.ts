/** An approval "always" is also a decision about the future: it sets the organisation's mode. */
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { reactionId, startReactor } from "#event-store/workers/reactor";
import type { Worker } from "#event-store/workers/worker";
import { changePolicy } from "../../policy/commands.ts";
import { reviewedDefinitionHash } from "../../policy/definitions/reviewed-definition.ts";
import { requireInvocation } from "../invocation/invocation-log.ts";
import { invocationEventsOf, keyOf, reactionMeta } from "../invocation/reaction.ts";
import type { ActionRegistry } from "../sources/registry.ts";

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
      const { actor, at } = recorded.commit.meta;
      // In the approver's name: the audit trail of the policy then says who wanted it.
      const meta = { ...reactionMeta(recorded, name, reactionId(recorded, name)), actor };
      const allowed = { integration, action, mode: "allow" } as const;
      const definitionHash = await reviewedDefinitionHash(registry, key.organization, allowed);
      const author = { by: actor.id, at };
      const command = { type: "SetActionMode", ...allowed, ...author, definitionHash } as const;
      await changePolicy(store, key.organization, command, meta);
    },
  });
