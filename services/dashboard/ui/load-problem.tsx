import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import { problemText } from "./problem-text.ts";

interface LoadProblemProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Something could not be loaded: why, and the way to try again. */
export const LoadProblem = ({ error, onRetry }: LoadProblemProps) => (
  <Notice tone="danger">
    <span>{problemText(error)}</span>
    <Button onClick={onRetry}>Try again</Button>
  </Notice>
);
