/**
 * Signatures of webhooks: HMAC-SHA256 with the trigger's secret over `<timestamp>.<raw body>`, sent as
 * `t=<unix seconds>,v1=<hex>`.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { DomainError } from "#contracts/errors";

/** How far a signature's time may be from ours, so that an old delivery cannot be played back for ever. */
const toleranceSeconds = 5 * 60;

/** The header's value for a body. Producers compute the same; the demo is one. */
export const signWebhook = (secretHex: string, body: Buffer, at: Date): string => {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return `t=${timestamp},v1=${macOf(secretHex, timestamp, body).toString("hex")}`;
};

export interface SignedWebhook {
  readonly secretHex: string;
  /** The bytes as they arrived. */
  readonly body: Buffer;
  /** The header's value; undefined when it was not sent. */
  readonly signature: string | undefined;
  readonly now: Date;
}

/** @throws DomainError `webhook_signature_invalid`; it does not say what exactly is wrong with a signature */
export const verifyWebhook = ({ secretHex, body, signature, now }: SignedWebhook): void => {
  const [, timestamp, given] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature ?? "") ?? [];
  if (timestamp === undefined || given === undefined) throw invalid();
  if (!timingSafeEqual(macOf(secretHex, timestamp, body), Buffer.from(given, "hex")))
    throw invalid();
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) throw invalid();
};

const macOf = (secretHex: string, timestamp: string, body: Buffer): Buffer =>
  createHmac("sha256", Buffer.from(secretHex, "hex")).update(`${timestamp}.`).update(body).digest();

const invalid = (): DomainError =>
  new DomainError(
    "webhook_signature_invalid",
    "The signature of the webhook is missing, wrong or too old.",
  );
