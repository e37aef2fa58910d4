import type { OwnerContext } from "./owner-context.ts";

/**
 * Makes this owner the one that counts. An earlier one may still believe that it has the session, for instance
 * because its machine was suspended, and its clock with it. So the transcript comes first: as soon as the log
 * names a new owner, whatever the earlier one says is refused, and what it has said before is there for the
 * new one to read.
 *
 * @throws DomainError `stale_owner`
 */
export const takeOver = async ({
  claimTranscript,
  command,
  epoch,
  deps,
}: OwnerContext): Promise<void> => {
  await claimTranscript();
  await command({ type: "AcquireOwnership", instance: deps.instance, epoch });
};
