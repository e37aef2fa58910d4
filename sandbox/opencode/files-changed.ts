/** What OpenCode says that a turn has changed, in the control plane's shape. */
import type { FilesChanged } from "#contracts/transcript/files-changed";
import type { FileDiff } from "./schemas.ts";

/** With paths of this length it is less than a quarter of what a commit takes. */
const mostFiles = 200;
const longestPath = 300;

export const filesChangedOf = (diffs: readonly FileDiff[]): FilesChanged | null => {
  if (diffs.length === 0) return null;
  const sum = (of: "additions" | "deletions") => diffs.reduce((all, diff) => all + diff[of], 0);
  return {
    count: diffs.length,
    additions: sum("additions"),
    deletions: sum("deletions"),
    files: diffs.slice(0, mostFiles).map(({ file, status, additions, deletions }) => ({
      path: file.slice(0, longestPath),
      status,
      additions,
      deletions,
    })),
  };
};
