/**
 * Slack's signature of what it sends: HMAC-SHA256 with the app's signing secret over `v0:<timestamp>:<body>`,
 * on the bytes as they came (docs.slack.dev, "Verifying requests from Slack").
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { DomainError } from "#contracts/errors";

/** What is older, or of the future, is refused: it may be played back by somebody who has seen it. */
const toleranceSeconds = 5 * 60;

export interface SignedBySlack {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: Buffer;
}

/** @throws DomainError `webhook_signature_invalid`, without telling what is wrong with it */
export const verifySlackSignature = (
  secret: string,
  { timestamp, signature, body }: SignedBySlack,
  now: Date,
): void => {
  const wellFormed =
    /^\d{1,12}$/.test(timestamp ?? "") && /^v0=[0-9a-f]{64}$/.test(signature ?? "");
  if (!wellFormed || timestamp === undefined || signature === undefined) throw invalid();
  const expected = Buffer.from(slackSignature(secret, timestamp, body));
  if (!timingSafeEqual(expected, Buffer.from(signature))) throw invalid();
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) throw invalid();
};

/** The header's value. */
export const slackSignature = (secret: string, timestamp: string, body: Buffer): string =>
  `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex")}`;

const invalid = (): DomainError =>
  new DomainError("webhook_signature_invalid", "Slack's signature is missing, wrong or too old.");
