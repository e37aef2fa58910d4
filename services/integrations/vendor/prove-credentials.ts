/** Whether a vendor takes credentials, found out by asking it. */
import { randomUUID } from "node:crypto";
import { DomainError, isDomainError } from "#contracts/errors";
import type { Outbound } from "../outbound/outbound.ts";
import { exchangeWith, type Vendor, type VendorCredentials } from "./vendor.ts";
import { unanswered } from "./vendor-failure.ts";

export interface ProofOptions {
  readonly outbound: Outbound;
  readonly credentials: VendorCredentials;
  /** For all attempts together, in milliseconds. */
  readonly patienceMs?: number;
}

/**
 * Asks now, whatever was found before.
 *
 * @throws DomainError `integration_unauthorized` when the vendor does not know them, and otherwise as a read:
 * `integration_forbidden`, `integration_rate_limited`, `integration_unreachable`, `integration_timed_out`,
 * `action_failed` when there is nothing of the kind at the address, and those of {@link Outbound.fetch}
 */
export const proveCredentials = async (
  vendor: Vendor,
  { outbound, credentials, patienceMs = 10_000 }: ProofOptions,
): Promise<void> => {
  const signal = AbortSignal.timeout(patienceMs);
  const asking = { outbound, credentials, reads: true, signal, idempotencyKey: randomUUID() };
  try {
    await exchangeWith(vendor, asking, (call) => vendor.prove(call));
  } catch (error) {
    if (signal.aborted) {
      throw new DomainError(
        "integration_timed_out",
        `${vendor.name} has not answered within ${patienceMs / 1000} s. Try again later.`,
        { cause: error },
      );
    }
    // What is no answer of this vendor's fails in its client, or in what the proof expects of it.
    throw isDomainError(error) ? error : unanswered({ vendor: vendor.name, reads: true }, error);
  }
};

/**
 * For tokens that are given rights one by one: a refusal of this read shows that the vendor knows the token, which
 * may still do what its actions need.
 */
export const unlessForbidden = async (ask: () => Promise<void>): Promise<void> => {
  try {
    await ask();
  } catch (error) {
    if (!isDomainError(error, "integration_forbidden")) throw error;
  }
};
