/**
 * Under which epoch of its lease an owner says something live. It stands beside the message, in a header: it is
 * for those who pass messages on, and no business of those who watch.
 */
import { headers, type MsgHdrs } from "@nats-io/transport-node";

const header = "Owner-Epoch";

/** The headers of an owner's message; none for what others say, which is never out of date. */
export const epochHeaders = (epoch: number | undefined): { readonly headers?: MsgHdrs } => {
  if (epoch === undefined) return {};
  const named = headers();
  named.set(header, String(epoch));
  return { headers: named };
};

/** The epoch that a message names; null for none. */
export const epochIn = (received: MsgHdrs | undefined): number | null => {
  const epoch = Number(received?.get(header) || Number.NaN);
  return Number.isSafeInteger(epoch) ? epoch : null;
};
