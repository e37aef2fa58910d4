/** Whether the repositories of a sandbox that comes back are brought up to date. Pure. */

export interface FreshnessPolicy {
  /** Not again within so many seconds of the last time; 0 for every time. */
  readonly cadenceSeconds: number;
}

export interface FreshnessFacts {
  /** Undefined: never. */
  readonly policy: FreshnessPolicy | undefined;
  /** Whether the workspace was there before this boot; a clone is fresh by itself. */
  readonly kept: boolean;
  readonly repositories: number;
  /** Milliseconds since 1970; null when nobody knows. */
  readonly lastGitFetchAt: number | null;
  readonly now: number;
}

export const shouldPullOnRestore = (facts: FreshnessFacts): boolean => {
  const { policy, kept, repositories, lastGitFetchAt, now } = facts;
  if (!policy || !kept || repositories === 0) return false;
  return lastGitFetchAt === null || now - lastGitFetchAt >= policy.cadenceSeconds * 1000;
};
