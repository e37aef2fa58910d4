/**
 * How many invocations of a session may wait for a person at the same time: an agent in a loop must
 * not bury its approver.
 */
import { DomainError } from "#contracts/errors";
import type { OrganizationId, SessionId } from "#contracts/ids";

export const maxPendingPerSession = 10;

export interface SessionKey {
  readonly organization: OrganizationId;
  readonly sessionId: SessionId;
}

export interface PendingLimit {
  /**
   * Does the work, which adds a pending invocation, if there is room for one more.
   *
   * @throws DomainError `too_many_pending_invocations`, and what `work` throws
   */
  admit<T>(session: SessionKey, work: () => Promise<T>): Promise<T>;
}

/**
 * One at a time per session, so that requests of one process cannot pass the limit together. Processes
 * that are asked at the very same moment can pass it by one each, which does no harm.
 */
export const createPendingLimit = (
  countPending: (session: SessionKey) => Promise<number>,
): PendingLimit => {
  const queues = new Map<SessionId, Promise<unknown>>();

  const admitNow = async <T>(session: SessionKey, work: () => Promise<T>): Promise<T> => {
    if ((await countPending(session)) >= maxPendingPerSession) {
      throw new DomainError(
        "too_many_pending_invocations",
        `${maxPendingPerSession} actions of this session wait for approval already.`,
        { fields: { limit: maxPendingPerSession } },
      );
    }
    return work();
  };

  return {
    admit: (session, work) => {
      const before = queues.get(session.sessionId) ?? Promise.resolve();
      const mine = before.then(() => admitNow(session, work));
      // The next in line waits for the end, not for the success.
      const ended = mine.then(
        () => undefined,
        () => undefined,
      );
      queues.set(session.sessionId, ended);
      void ended.then(() => {
        if (queues.get(session.sessionId) === ended) queues.delete(session.sessionId);
      });
      return mine;
    },
  };
};
