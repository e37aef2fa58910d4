import type { WatchState } from "#services/client/watch-session";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { problemText } from "../ui/problem-text.ts";

interface ConnectionBannerProps {
  readonly connection: WatchState | null;
  /** What the channel said about itself, if it complained. */
  readonly problem: string | null;
  readonly onWatchAgain: () => void;
}

/** Says when what is on the screen may be old. The first connection is not worth a word. */
export const ConnectionBanner = ({ connection, problem, onWatchAgain }: ConnectionBannerProps) => {
  if (connection === null) return null;
  switch (connection.status) {
    case "connecting":
      return null;
    case "live":
      return problem === null ? null : <Notice tone="warning">{problem}</Notice>;
    case "waiting":
      return (
        <Notice tone="warning">
          The live connection is lost. Trying again
          {connection.retryInMs >= 1000 && ` in ${Math.round(connection.retryInMs / 1000)} s`}…
        </Notice>
      );
    case "closed":
      return (
        <Notice tone="warning">
          <span>
            Nothing more comes in live.
            {connection.error && ` ${problemText(connection.error)}`}
          </span>
          <Button onClick={onWatchAgain}>Connect again</Button>
        </Notice>
      );
  }
};
