import { DomainError } from "#contracts/errors";
import type { UserId } from "#contracts/ids";

/** Counts what each person has open in this process, and lets nobody have more than so much. */
export interface StreamPlaces {
  /**
   * @returns gives the place back; fine to call twice
   * @throws DomainError `too_many_event_streams`
   */
  take(user: UserId): () => void;
}

export const streamPlaces = (perPerson: number): StreamPlaces => {
  const taken = new Map<UserId, number>();
  return {
    take: (user) => {
      const count = taken.get(user) ?? 0;
      if (count >= perPerson) {
        throw new DomainError(
          "too_many_event_streams",
          "You have too many event streams open at once. End one that nobody reads.",
          { fields: { limit: perPerson } },
        );
      }
      taken.set(user, count + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        const left = (taken.get(user) ?? 0) - 1;
        if (left > 0) taken.set(user, left);
        else taken.delete(user);
      };
    },
  };
};
