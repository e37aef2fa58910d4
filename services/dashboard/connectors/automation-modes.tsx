import type { PolicyView } from "#contracts/policy/view";
import { useAutomations, useFollowOrganization } from "../policy/policy-queries.ts";
import { modeShown } from "../policy/rule-text.ts";
import { SetBy } from "../policy/set-by.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { problemText } from "../ui/problem-text.ts";

interface AutomationModesProps {
  /** Those of one action. */
  readonly modes: PolicyView["automationModes"];
}

/** Where automations go their own way with an action, and how to have them follow the organisation again. */
export const AutomationModes = ({ modes }: AutomationModesProps) => {
  const automations = useAutomations();
  const follow = useFollowOrganization();
  if (modes.length === 0) return null;
  return (
    <div className="tool-block">
      <h4>In automations</h4>
      <ul className="plain-list" aria-label="In automations">
        {modes.map((own) => {
          const { label, tone } = modeShown[own.mode];
          const known = automations.data?.find(({ id }) => id === own.triggerId);
          return (
            <li key={own.triggerId} className="button-row">
              <span className="breakable">{known?.name ?? own.triggerId}</span>
              <Badge tone={tone}>{label}</Badge>
              <span className="muted">
                <SetBy set={own} />
              </span>
              <Button busy={follow.isPending} onClick={() => follow.mutate(own)}>
                Follow the organisation
              </Button>
            </li>
          );
        })}
      </ul>
      {follow.error && <Notice tone="danger">{problemText(follow.error)}</Notice>}
    </div>
  );
};
