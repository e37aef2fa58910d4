import { type ReactNode, useId } from "react";
import type { SessionId } from "#contracts/ids";
import { Badge } from "../ui/badge.tsx";
import { Countdown } from "./countdown.tsx";
import { Decisions } from "./decisions.tsx";
import type { KnownInvocation } from "./known-invocation.ts";
import { riskShown } from "./invocation-status.ts";
import { whyAsked } from "./why-asked.ts";

interface ApprovalCardProps {
  readonly sessionId: SessionId;
  readonly invocation: KnownInvocation;
  /** What leads from here to where it was asked. */
  readonly children?: ReactNode;
}

/** A request of an agent to act, and the person's answer. */
export const ApprovalCard = ({ sessionId, invocation, children }: ApprovalCardProps) => {
  const titleId = useId();
  const { risk, expiresAt, decision } = invocation;
  return (
    <article className="approval" aria-labelledby={titleId}>
      <header className="approval-head">
        <h3 id={titleId}>
          <span className="muted">Approve</span> {invocation.integration}
          <span className="muted"> / </span>
          {invocation.action}
        </h3>
        {risk && <Badge tone={riskShown[risk].tone}>{riskShown[risk].label}</Badge>}
        {decision?.drifted && <Badge tone="warning">Changed</Badge>}
        {expiresAt !== null && <Countdown until={expiresAt} />}
      </header>
      {decision && <p className="approval-why muted">{whyAsked(decision)}</p>}
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
