/**
 * Erases text by erasing its key (crypto-shredding). The order makes it safe to die anywhere in between
 * and to be run again:
 *
 * 1. The sessions are stopped: an agent whose conversation cannot be read is of no use, and its owner
 *    removes the sandbox, which holds the text too.
 * 2. The key is erased. Its row says who wanted it; from here on there is no way back.
 * 3. Nobody remembers the key any more once its lifetime is over. Whatever is read later has markers
 *    in the place of the text, so what is written after the next step never brings text back.
 * 4. Every aggregate that holds the text gets a `TextErased`, at which read models put the markers in.
 * 5. Copies are removed: snapshots, what watchers are sent, and deliveries that wait in the inbox.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Actor } from "#contracts/actor";
import type { AggregateRef } from "#contracts/commit";
import type { TextErased } from "#contracts/erasure/events";
import { derivedId, type SessionId } from "#contracts/ids";
import { aggregatesIn } from "#event-store/audit/aggregates-in";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { forgetDeliveries, forgetDelivery } from "#event-store/workers/inbox";
import { forgetLive } from "#event-store/live/live-channel";
import { deleteSnapshot } from "#event-store/aggregates/snapshots";
import type { DataKeyVault, ErasedKey } from "../secrets/data-keys.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import { type ErasureTarget, findTextHolders, type TextHolders } from "./text-holders.ts";

/** Clocks of machines do not run alike, and a timer may fire a little early. */
const clockTolerance = 1.1;

export type ErasureStep = "stop" | "erase_key" | "wait" | "mark" | "remove_copies";

export interface EraseTextDeps {
  readonly store: EventStore;
  readonly vault: DataKeyVault;
  /** Told before each step. */
  readonly onStep?: (step: ErasureStep) => void;
}

export interface Erasure extends Pick<TextHolders, "unsealedEvents"> {
  /** When the key was erased, and by whom: earlier, if this went on with what was begun before. */
  readonly key: ErasedKey;
  readonly sessions: number;
  /** How many aggregates held text, sessions among them. */
  readonly aggregates: number;
}

/**
 * Erases a session's text, or all of an organisation's. Takes a little longer than the keys' lifetime.
 *
 * @throws DomainError `session_not_found`, `log_unavailable`
 */
export const eraseText = async (
  { store, vault, onStep = () => undefined }: EraseTextDeps,
  target: ErasureTarget,
  actor: Actor,
): Promise<Erasure> => {
  const { organization, session } = target;
  const owner = session ?? organization;
  const correlationId = derivedId("command", "erase", organization, owner);

  onStep("stop");
  const sessions = await sessionsOf(store, target);
  for (const id of sessions) {
    const meta = newCommandMeta({ actor, correlationId });
    await execute(store, sessionAggregate, { organization, id }, { type: "DeleteSession" }, meta);
  }
  onStep("erase_key");
  const key = await vault.erase({ organization, owner }, actor.id);
  onStep("wait");
  await delay(vault.lifetimeMs * clockTolerance);
  onStep("mark");
  const { aggregates, deliveries, unsealedEvents } = await findTextHolders(store, target);
  for (const ref of aggregates) {
    const commandId = derivedId("command", "erase", owner, ref.aggregate, ref.id);
    const scope = session === null ? "organization" : "session";
    await markErased(store, ref, scope, newCommandMeta({ actor, commandId, correlationId }));
  }
  onStep("remove_copies");
  for (const ref of aggregates) await deleteSnapshot(store, ref);
  for (const id of sessions) await forgetLive(store, { organization, session: id });
  if (session === null) await forgetDeliveries(store, organization);
  else for (const delivery of deliveries) await forgetDelivery(store, organization, delivery);
  return { key, sessions: sessions.length, aggregates: aggregates.length, unsealedEvents };
};

const sessionsOf = async (
  store: EventStore,
  { organization, session }: ErasureTarget,
): Promise<readonly SessionId[]> => {
  if (session !== null) return [session];
  const all = { organization, aggregate: { type: "session", id: "*" } } as const;
  return (await aggregatesIn(store, all)).map(({ id }) => id as SessionId);
};

/** Whatever the aggregate is, and its decider does not know of it. The same command is carried out once. */
const markErased = async (
  store: EventStore,
  ref: AggregateRef,
  scope: TextErased["data"]["scope"],
  meta: ReturnType<typeof newCommandMeta>,
): Promise<void> => {
  const marking = {
    aggregate: ref.aggregate,
    decider: {
      initialState: () => null,
      decide: (): readonly TextErased[] => [{ type: "TextErased", data: { scope } }],
      evolve: () => null,
    },
  };
  await execute(store, marking, ref, null, meta);
};
