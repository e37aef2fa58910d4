import { useState } from "react";
import type { SessionId } from "#contracts/ids";
import { agentIntegration } from "#contracts/policy/agent-tools";
import { mayApprove, useUser } from "../app/identity.ts";
import { Button } from "../ui/button.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { type Decision, useDecision } from "./approval-queries.ts";
import { DenyForm } from "./deny-form.tsx";
import { EditForm } from "./edit-form.tsx";
import type { KnownInvocation } from "./known-invocation.ts";

interface DecisionsProps {
  readonly sessionId: SessionId;
  readonly invocation: KnownInvocation;
}

/** What somebody who may decide can do about an invocation: at once, or after saying more. */
export const Decisions = ({ sessionId, invocation }: DecisionsProps) => {
  const user = useUser();
  const { mutate, variables, isPending, isSuccess, error } = useDecision(sessionId, invocation.id);
  const [saying, setSaying] = useState<"nothing" | "edit" | "deny">("nothing");
  if (!mayApprove(user)) {
    return <p className="muted">An owner or admin of your organisation can decide this.</p>;
  }
  const disabled = isPending || isSuccess;
  const at = (kind: Decision["kind"]) => ({
    disabled,
    busy: isPending && variables.kind === kind,
  });
  const back = () => setSaying("nothing");
  return (
    <div className="decisions">
      {saying === "nothing" && (
        <div className="button-row">
          <Button
            kind="primary"
            {...at("approve_once")}
            onClick={() => mutate({ kind: "approve_once" })}
          >
            Approve once
          </Button>
          <Button {...at("approve_always")} onClick={() => mutate({ kind: "approve_always" })}>
            Always allow
          </Button>
          {invocation.integration !== agentIntegration && (
            <Button disabled={disabled} onClick={() => setSaying("edit")}>
              Edit
            </Button>
          )}
          <Button kind="danger" disabled={disabled} onClick={() => setSaying("deny")}>
            Deny
          </Button>
        </div>
      )}
      {saying === "edit" && (
        <EditForm
          params={invocation.params}
          {...at("approve_edited")}
          onBack={back}
          onApprove={(params) => mutate({ kind: "approve_edited", params })}
        />
      )}
      {saying === "deny" && (
        <DenyForm
          {...at("deny")}
          onBack={back}
          onDeny={(reason) => mutate({ kind: "deny", reason })}
        />
      )}
      <ProblemNotice error={error} />
    </div>
  );
};
