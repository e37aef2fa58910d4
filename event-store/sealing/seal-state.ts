/** States of snapshots, which hold text, sealed as a whole. */
import { z } from "zod";
import { openBox, sealBox } from "./box.ts";
import type { DataKeys, TextOwner } from "./data-keys.ts";

export const sealedStateSchema = z.object({ owner: z.string(), key: z.string(), box: z.string() });
type SealedState = z.infer<typeof sealedStateSchema>;

/** Seals a state with its owner's key; null when that was erased. `subject` is that of the aggregate. */
export const sealState = async (
  keys: DataKeys,
  { subject, ...owner }: TextOwner & { readonly subject: string },
  state: unknown,
): Promise<SealedState | null> => {
  const key = await keys.toSeal(owner);
  return (
    key && {
      owner: owner.owner,
      key: key.id,
      box: sealBox(key.secret, placeOf(subject), JSON.stringify(state)),
    }
  );
};

/**
 * Opens a state; null when its key is not there any more.
 *
 * @throws Error when its key does not open it; DomainError `log_unavailable`
 */
export const openState = async (
  keys: DataKeys,
  { subject, organization }: { readonly subject: string; readonly organization: string },
  { owner, key: id, box }: SealedState,
): Promise<unknown> => {
  const [key] = await keys.toOpen([{ organization, owner }]);
  return key?.id === id
    ? (JSON.parse(openBox(key.secret, placeOf(subject), box)) as unknown)
    : null;
};

const placeOf = (subject: string): string => JSON.stringify(["snapshot", subject]);
