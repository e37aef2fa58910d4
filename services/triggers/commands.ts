import { randomBytes } from "node:crypto";
import { newId, type OrganizationId, type TriggerId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import type { TriggerCommand } from "#contracts/trigger/commands";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { loadAggregate } from "#event-store/aggregates/load";
import { triggerDecider, type TriggerState } from "./decider.ts";
import type { SigningSecrets } from "./signing-secrets.ts";

const aggregate = { aggregate: "trigger", decider: triggerDecider } as const;

export interface TriggerKey {
  readonly organization: OrganizationId;
  readonly id: TriggerId;
}

export const loadTrigger = async (store: EventStore, key: TriggerKey): Promise<TriggerState> =>
  (await loadAggregate(store, aggregate, key)).state;

export interface CreatedTrigger {
  readonly triggerId: TriggerId;
  /** In hex. It is shown now and never again. */
  readonly signingSecret: string;
  readonly position: Position;
}

/** Creates a trigger with a signing secret of its own, which no event ever holds. */
export const createTrigger = async (
  { store, secrets }: { readonly store: EventStore; readonly secrets: SigningSecrets },
  organization: OrganizationId,
  trigger: Omit<TriggerCommand, "type">,
  meta: CommandMeta,
): Promise<CreatedTrigger> => {
  const triggerId = newId("trigger");
  const signingSecret = randomBytes(32).toString("hex");
  // First the secret: one without a trigger harms nobody, a trigger without one could not be used.
  await secrets.put({ organization, id: triggerId }, signingSecret);
  const command: TriggerCommand = { type: "CreateTrigger", ...trigger };
  const { position } = await execute(
    store,
    aggregate,
    { organization, id: triggerId },
    command,
    meta,
  );
  return { triggerId, signingSecret, position };
};
