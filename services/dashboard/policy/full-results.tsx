import { mayApprove, useUser } from "../app/identity.ts";
import { Button } from "../ui/button.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useKeepFullResults } from "./policy-queries.ts";

/** Whether results that are too long for the log are kept whole, and the button that changes it. */
export const FullResults = ({ kept }: { readonly kept: boolean }) => {
  const { mutate, isPending, error } = useKeepFullResults();
  const user = useUser();
  return (
    <section className="panel form" aria-label="Full results">
      <h2>Full results</h2>
      <p>
        {kept
          ? "Results that are too long for the log are kept whole for seven days. Each reading is recorded."
          : "Results that are too long for the log are cut, and nothing more of them is kept."}
      </p>
      <ProblemNotice error={error} />
      {mayApprove(user) && (
        <div className="button-row button-row-end">
          <Button busy={isPending} onClick={() => mutate(!kept)}>
            {kept ? "Stop keeping them" : "Keep them"}
          </Button>
        </div>
      )}
    </section>
  );
};
