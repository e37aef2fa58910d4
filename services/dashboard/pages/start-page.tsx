import { LoadProblem } from "../ui/load-problem.tsx";
import { Loading } from "../ui/loading.tsx";

interface StartPageProps {
  /** Null while the server is being asked who is signed in. */
  readonly error: Error | null;
  readonly onRetry: () => void;
}

export const StartPage = ({ error, onRetry }: StartPageProps) => (
  <main className="start">
    {error ? <LoadProblem error={error} onRetry={onRetry} /> : <Loading what="the dashboard" />}
  </main>
);
