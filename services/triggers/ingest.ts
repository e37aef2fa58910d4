/**
 * Takes deliveries in: verified on the bytes as they came, stored, answered. Everything else happens
 * later, in the worker, so a producer never waits for us and nothing that was answered is lost.
 */
import { DomainError } from "#contracts/errors";
import type { OrganizationId, TriggerId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import type { Traceparent } from "#event-store/tracing/tracing";
import { storeDelivery } from "#event-store/workers/inbox";
import { verifyWebhook } from "./signature.ts";
import type { SigningSecrets } from "./signing-secrets.ts";

export interface IngestDeps {
  readonly store: EventStore;
  readonly secrets: SigningSecrets;
  /** Whose trigger this is; null if nobody's. */
  readonly organizationOf: (trigger: TriggerId) => Promise<OrganizationId | null>;
  readonly clock: () => Date;
}

export interface IncomingWebhook {
  readonly triggerId: TriggerId;
  readonly signature: string | undefined;
  readonly deliveryId: string | undefined;
  /** As it arrived. */
  readonly body: Buffer;
  /** Of the request. */
  readonly trace: Traceparent | undefined;
}

/** @throws DomainError `trigger_not_found`, `webhook_signature_invalid`, `webhook_delivery_id_missing` */
export const ingest = async (
  { store, secrets, organizationOf, clock }: IngestDeps,
  { triggerId, signature, deliveryId, body, trace }: IncomingWebhook,
): Promise<{ readonly deliveryId: string; readonly duplicate: boolean }> => {
  const organization = await organizationOf(triggerId);
  if (organization === null)
    throw new DomainError("trigger_not_found", "There is no such trigger.");
  const secretHex = await secrets.get({ organization, id: triggerId });
  const now = clock();
  // Visible ASCII: it becomes part of a message's id in the log.
  if (deliveryId === undefined || !/^[\x21-\x7e]{1,128}$/.test(deliveryId)) {
    throw new DomainError(
      "webhook_delivery_id_missing",
      "The delivery has no id, or one that is not 1 to 128 visible ASCII characters.",
    );
  }
  verifyWebhook({ secretHex, deliveryId, body, signature, now });
  const receivedAt = now.toISOString();
  const { duplicate } = await storeDelivery(store, {
    organization,
    triggerId,
    deliveryId,
    receivedAt,
    // The custom provider's deliveries are read as JSON, whatever they say of themselves.
    contentType: "application/json",
    // A copy: the request's bytes may be a window on memory that the server uses again.
    body: Buffer.from(body),
    trace,
  });
  return { deliveryId, duplicate };
};
