import { type ReactNode, useId } from "react";
import type { SessionId } from "#contracts/ids";
import { mayApprove, useUser } from "../app/identity.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { problemText } from "../ui/problem-text.ts";
import { type Decision, useDecision } from "./approval-queries.ts";
import { Countdown } from "./countdown.tsx";
import type { KnownInvocation } from "./known-invocation.ts";
import { riskShown } from "./invocation-status.ts";

interface ApprovalCardProps {
  readonly sessionId: SessionId;
  readonly invocation: KnownInvocation;
  /** What leads from here to where it was asked. */
  readonly children?: ReactNode;
}

/** A request of an agent to act outside its sandbox, and the person's answer. */
export const ApprovalCard = ({ sessionId, invocation, children }: ApprovalCardProps) => {
  const titleId = useId();
  const { risk, expiresAt } = invocation;
  return (
    <article className="approval" aria-labelledby={titleId}>
      <header className="approval-head">
        <h3 id={titleId}>
          <span className="muted">Approve</span> {invocation.integration}
          <span className="muted"> / </span>
          {invocation.action}
        </h3>
        {risk && <Badge tone={riskShown[risk].tone}>{riskShown[risk].label}</Badge>}
        {expiresAt !== null && <Countdown until={expiresAt} />}
      </header>
      <Params params={invocation.params} />
      <footer className="approval-foot">
        <Decisions sessionId={sessionId} invocation={invocation} />
        {children}
      </footer>
    </article>
  );
};

const Params = ({ params }: Pick<KnownInvocation, "params">) =>
  Object.keys(params).length === 0 ? (
    <p className="muted">No parameters.</p>
  ) : (
    <pre className="code" tabIndex={0} aria-label="Parameters">
      {JSON.stringify(params, null, 2)}
    </pre>
  );

const Decisions = ({
  sessionId,
  invocation,
}: Pick<ApprovalCardProps, "sessionId" | "invocation">) => {
  const user = useUser();
  const { mutate, variables, isPending, isSuccess, error } = useDecision(sessionId, invocation.id);
  if (!mayApprove(user)) {
    return <p className="muted">An owner or admin of your organisation can decide this.</p>;
  }
  const button = (decision: Decision, label: string, kind: "primary" | "secondary" | "danger") => (
    <Button
      kind={kind}
      disabled={isPending || isSuccess}
      busy={isPending && variables === decision}
      onClick={() => mutate(decision)}
    >
      {label}
    </Button>
  );
  return (
    <>
      <div className="button-row">
        {button("approve_once", "Approve once", "primary")}
        {button("approve_always", "Always allow", "secondary")}
        {button("deny", "Deny", "danger")}
      </div>
      {error && <Notice tone="danger">{problemText(error)}</Notice>}
    </>
  );
};
