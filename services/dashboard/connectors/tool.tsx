import { useState } from "react";
import type { AvailableIntegration } from "#contracts/actions/definition";
import type { PolicyView } from "#contracts/policy/view";
import { riskShown } from "../approvals/invocation-status.ts";
import { mayApprove, useUser } from "../app/identity.ts";
import { modeShown } from "../policy/rule-text.ts";
import { SetBy } from "../policy/set-by.tsx";
import { Badge } from "../ui/badge.tsx";
import { ForeignText } from "../ui/foreign-text.tsx";
import { visibleText } from "../ui/visible-text.ts";
import { modeSourceText, riskOverrideText, risksOf } from "./action-text.ts";
import { AutomationModes } from "./automation-modes.tsx";
import { ToolSettings } from "./tool-settings.tsx";

interface ToolProps {
  readonly integration: string;
  readonly action: AvailableIntegration["actions"][number];
  readonly policy: PolicyView;
}

/** One action: what it is called and what happens to it, and on demand all that its server says of it. */
export const Tool = ({ integration, action, policy }: ToolProps) => {
  const [open, setOpen] = useState(false);
  const user = useUser();
  const risks = risksOf(policy.risks, integration, action);
  const { label, tone } = modeShown[action.mode];
  const risk = riskShown[risks.own ?? risks.otherwise];
  const set = policy.modes.find(
    (one) => one.integration === integration && one.action === action.id,
  );
  return (
    <details className="tool" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="tool-name breakable">
          <ForeignText text={action.id} />
        </span>
        <span className="tool-badges">
          {action.drifted && <Badge tone="warning">Changed</Badge>}
          <Badge tone={risk.tone}>{risk.label}</Badge>
          <Badge tone={tone}>{label}</Badge>
        </span>
      </summary>
      {/* Made when it is looked at: a server's schemas may be long, and there may be many. */}
      {open && (
        <div className="tool-body">
          <p className="muted">
            {action.drifted
              ? "It was let run unasked, and has changed since: a person is asked again."
              : modeSourceText[action.modeSource]}
            {set && action.modeSource === "organization" && <SetBy set={set} />}
          </p>
          {risks.override && (
            <p className="muted">
              {riskOverrideText(risks.override)}
              <SetBy set={risks.override} />
            </p>
          )}
          <Block title="What its server says of it">
            {action.description === "" ? "Nothing." : visibleText(action.description)}
          </Block>
          <Block title="Parameters">{visibleText(JSON.stringify(action.params, null, 2))}</Block>
          {mayApprove(user) && (
            <AutomationModes
              modes={policy.automationModes.filter(
                (one) => one.integration === integration && one.action === action.id,
              )}
            />
          )}
          {mayApprove(user) && (
            <ToolSettings
              integration={integration}
              action={action}
              risks={risks}
              setMode={set?.mode ?? null}
            />
          )}
        </div>
      )}
    </details>
  );
};

const Block = ({ title, children }: { readonly title: string; readonly children: string }) => (
  <div className="tool-block">
    <h4>{title}</h4>
    <pre className="code" tabIndex={0} dir="auto" aria-label={title}>
      {children}
    </pre>
  </div>
);
