/** Commits as the audit commands show them. */
import type { Actor } from "#contracts/actor";
import type { StoredCommit } from "#event-store/audit/stored-commits";

/** The whole commit, for machines. */
export const recordOf = ({ position, storedAt, ref, hash, commit }: StoredCommit) => ({
  position,
  storedAt: storedAt.toISOString(),
  ...ref,
  hash,
  ...commit,
});

export const actorText = ({ kind, id, via }: Actor): string => `${kind} ${id} (${via})`;

export const aggregateText = ({ ref }: Pick<StoredCommit, "ref">): string =>
  `${ref.aggregate} ${ref.id}`;

export const eventsText = ({ commit }: StoredCommit): string =>
  commit.events.map(({ type }) => type).join(", ");
