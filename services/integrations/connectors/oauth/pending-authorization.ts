/** Authorizations that people have begun and not come back from: one for each connector, encrypted. */
import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { idSchema } from "#contracts/ids";
import type { Secrets } from "../../../secrets/secrets.ts";
import type { ConnectorKey } from "../commands.ts";

const pendingSchema = z.object({
  state: z.string(),
  userId: idSchema("user"),
  credentials: idSchema("credentials"),
  verifier: z.string(),
  client: z.looseObject({ client_id: z.string() }),
  discovery: z.record(z.string(), z.unknown()),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
});
export type PendingAuthorization = z.infer<typeof pendingSchema>;

const nameOf = ({ organization, connector }: ConnectorKey) => ({
  organization,
  name: `connector-authorization/${connector}`,
});

/** In the place of the one that was begun before, if any. */
export const putPending = (
  secrets: Secrets,
  key: ConnectorKey,
  pending: PendingAuthorization,
): Promise<void> => secrets.putSecret({ ...nameOf(key), value: JSON.stringify(pending) });

/** The one that was begun with this state, by this person and not too long ago; it is good once. */
export const takePending = async (
  secrets: Secrets,
  key: ConnectorKey,
  expected: Pick<PendingAuthorization, "state" | "userId"> & { readonly now: number },
): Promise<PendingAuthorization | null> => {
  const value = await secrets.getSecret(nameOf(key));
  if (value === null) return null;
  const pending = pendingSchema.parse(JSON.parse(value));
  const same =
    isSame(pending.state, expected.state) &&
    pending.userId === expected.userId &&
    expected.now < pending.expiresAt;
  if (!same) return null;
  await secrets.deleteSecret(nameOf(key));
  return pending;
};

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};
