/** Works the inbox off: what a delivery matches becomes a run. */
import { derivedId, type OrganizationId, type TriggerId } from "#contracts/ids";
import { maxPromptBytes } from "#contracts/session/limits";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { startInboxWorker, type TracedDelivery } from "#event-store/workers/inbox";
import type { Log } from "#event-store/log";
import type { Worker } from "#event-store/workers/worker";
import { matchTrigger } from "../automations/commands.ts";
import { parseBody } from "./body.ts";
import { loadTrigger } from "./commands.ts";
import { matches } from "./matcher.ts";
import { renderTemplate } from "./template.ts";

export interface TriggerWorkerOptions {
  readonly log: Log;
}

export const startTriggerWorker = (
  store: EventStore,
  options: TriggerWorkerOptions,
): Promise<Worker> =>
  startInboxWorker(store, { ...options, handle: (delivery) => handleDelivery(store, delivery) });

/**
 * Starts the run that a delivery stands for, if its trigger wants it. The run's id follows from the
 * trigger and the delivery's id: a delivery that comes again, whenever it does, finds its run there.
 */
export const handleDelivery = async (
  store: EventStore,
  delivery: TracedDelivery,
): Promise<void> => {
  const { deliveryId, trace } = delivery;
  const organization = delivery.organization as OrganizationId;
  const triggerId = delivery.triggerId as TriggerId;
  const trigger = await loadTrigger(store, { organization, id: triggerId });
  if (trigger.status === "absent")
    throw new Error(`The inbox holds a delivery for ${triggerId}, which is not there.`);
  const body = parseBody(delivery.body);
  if (!matches(trigger.filter, body)) return;
  await matchTrigger(
    store,
    { organization, id: derivedId("run", triggerId, deliveryId) },
    {
      triggerId,
      dedupKey: deliveryId,
      title: trigger.name,
      prompt: renderTemplate(trigger.prompt, body, maxPromptBytes),
      repository: trigger.repository,
      session: trigger.session,
    },
    newCommandMeta({
      actor: { kind: "webhook", id: triggerId, via: "inbox" },
      commandId: derivedId("command", triggerId, deliveryId),
      trace,
    }),
  );
};
