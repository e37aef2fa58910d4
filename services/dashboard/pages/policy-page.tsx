import { useRef } from "react";
import { mayApprove, useUser } from "../app/identity.ts";
import { AutoDeleteForm } from "../policy/auto-delete-form.tsx";
import { DryRunForm } from "../policy/dry-run-form.tsx";
import { FullResults } from "../policy/full-results.tsx";
import { usePolicy } from "../policy/policy-queries.ts";
import { RuleForm } from "../policy/rule-form.tsx";
import { RuleList } from "../policy/rule-list.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { LoadProblem } from "../ui/load-problem.tsx";
import { Loading } from "../ui/loading.tsx";
import { PageHeading } from "../ui/page-heading.tsx";

/** The organisation's rules about what agents may do. */
export const PolicyPage = () => {
  const policy = usePolicy();
  const user = useUser();
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <div className="page">
      <title>Policy · Proliferate</title>
      <header className="page-head">
        <PageHeading ref={heading}>Policy</PageHeading>
      </header>
      {policy.error && <LoadProblem error={policy.error} onRetry={() => void policy.refetch()} />}
      {policy.isPending && <Loading what="the policy" />}
      {policy.data?.rules.length === 0 && (
        <EmptyState title="No rules yet">
          <p>
            Without one, what reads runs, what writes waits for a person, and what is dangerous is
            refused.
          </p>
        </EmptyState>
      )}
      {policy.data && policy.data.rules.length > 0 && (
        <RuleList rules={policy.data.rules} onRemoved={() => heading.current?.focus()} />
      )}
      {mayApprove(user) && <RuleForm />}
      <DryRunForm />
      {policy.data && <FullResults kept={policy.data.keepsFullResults} />}
      <AutoDeleteForm />
    </div>
  );
};
