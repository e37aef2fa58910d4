/** What was found out about vendors' credentials a moment ago, so that nobody waits for it each time. */
import { createHash } from "node:crypto";
import type { VendorCredentials } from "../vendor/vendor.ts";
import type { VendorKey } from "./credentials.ts";

/** Good news is believed for longer: what fails may have been put right already. */
const goodForMs = 60_000;
const badForMs = 10_000;

interface Proof {
  readonly outcome: Promise<void>;
  /** Milliseconds since 1970; infinite while nothing is known yet. */
  until: number;
}

export interface RecentProofs {
  /** The outcome of a proof that is under way or recent; of a new one where there is none. */
  of(key: VendorKey, credentials: VendorCredentials, prove: () => Promise<void>): Promise<void>;
}

/** @param capacity how many are remembered: those that were begun last */
export const createRecentProofs = (
  clock: () => number = Date.now,
  capacity = 1_000,
): RecentProofs => {
  const proofs = new Map<string, Proof>();
  const begin = (name: string, prove: () => Promise<void>): Promise<void> => {
    const outcome = prove();
    const proof: Proof = { outcome, until: Infinity };
    proofs.delete(name);
    proofs.set(name, proof);
    const [oldest] = proofs.keys();
    if (proofs.size > capacity && oldest !== undefined) proofs.delete(oldest);
    const settle = (forMs: number) => (): void => {
      proof.until = clock() + forMs;
    };
    // Whoever asked hears of the failure; here it only counts that there was one.
    void outcome.then(settle(goodForMs), settle(badForMs));
    return outcome;
  };
  return {
    of: (key, credentials, prove) => {
      const name = nameOf(key, credentials);
      const known = proofs.get(name);
      return known && clock() < known.until ? known.outcome : begin(name, prove);
    },
  };
};

/** Other credentials are another matter at once. Tokens are not kept for longer than they are needed. */
const nameOf = ({ organization, vendor }: VendorKey, credentials: VendorCredentials): string => {
  const { token, baseUrl } = credentials;
  const hash = createHash("sha256")
    .update(JSON.stringify([token, baseUrl]))
    .digest("base64");
  return `${organization} ${vendor} ${hash}`;
};
