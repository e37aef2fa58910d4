import type { UserId } from "#contracts/ids";
import type { UserView } from "#contracts/identity/principal";

/** Longer, and somebody whose role was taken away would keep it for too long. */
const freshForMs = 5_000;
const largest = 1_000;

export type FindUser = (id: UserId) => Promise<UserView | null>;

/**
 * Looks a user up for each request, and remembers the answer for 5 seconds: a token says who somebody is,
 * but what they may do is read anew.
 */
export const rememberingUsers = (find: FindUser, now: () => Date): FindUser => {
  const known = new Map<
    UserId,
    { readonly until: number; readonly user: Promise<UserView | null> }
  >();
  return (id) => {
    const remembered = known.get(id);
    if (remembered && remembered.until > now().getTime()) return remembered.user;
    const user = find(id);
    known.delete(id);
    known.set(id, { until: now().getTime() + freshForMs, user });
    // A failure is not an answer that could be remembered; whoever awaits `user` hears of it.
    user.catch(() => known.delete(id));
    const [oldest] = known.keys();
    if (known.size > largest && oldest !== undefined) known.delete(oldest);
    return user;
  };
};
