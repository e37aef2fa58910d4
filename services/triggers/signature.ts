/**
 * Signatures of webhooks: HMAC-SHA256 with the trigger's secret over `<delivery id>.<timestamp>.<raw body>`,
 * sent as `t=<unix seconds>,v1=<hex>`. The id is signed too, so that a delivery that somebody has seen cannot be
 * played back as another one (the scheme of standardwebhooks.com).
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { DomainError } from "#contracts/errors";

/** How far a signature's time may be from ours, so that an old delivery cannot be played back for ever. */
const toleranceSeconds = 5 * 60;

/** The header's value for a body. Producers compute the same; the demo is one. */
export const signWebhook = (
  secretHex: string,
  { deliveryId, body }: { readonly deliveryId: string; readonly body: Buffer },
  at: Date,
): string => {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return `t=${timestamp},v1=${macOf(secretHex, { deliveryId, timestamp, body }).toString("hex")}`;
};

export interface SignedWebhook {
  readonly secretHex: string;
  readonly deliveryId: string;
  /** The bytes as they arrived. */
  readonly body: Buffer;
  /** The header's value; undefined when it was not sent. */
  readonly signature: string | undefined;
  readonly now: Date;
}

/** @throws DomainError `webhook_signature_invalid`; it does not say what exactly is wrong with a signature */
export const verifyWebhook = (webhook: SignedWebhook): void => {
  const { secretHex, deliveryId, body, signature, now } = webhook;
  const [, timestamp, given] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature ?? "") ?? [];
  if (timestamp === undefined || given === undefined) throw invalid();
  if (
    !timingSafeEqual(macOf(secretHex, { deliveryId, timestamp, body }), Buffer.from(given, "hex"))
  )
    throw invalid();
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) throw invalid();
};

const macOf = (
  secretHex: string,
  signed: { readonly deliveryId: string; readonly timestamp: string; readonly body: Buffer },
): Buffer =>
  createHmac("sha256", Buffer.from(secretHex, "hex"))
    .update(`${signed.deliveryId}.${signed.timestamp}.`)
    .update(signed.body)
    .digest();

const invalid = (): DomainError =>
  new DomainError(
    "webhook_signature_invalid",
    "The signature of the webhook is missing, wrong or too old.",
  );
