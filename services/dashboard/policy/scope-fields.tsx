import type { RuleScope } from "#contracts/policy/rules";
import { Field } from "../ui/field.tsx";
import { LoadProblem } from "../ui/load-problem.tsx";
import { useAutomations } from "./policy-queries.ts";
import { SessionField } from "./session-field.tsx";

interface ScopeFieldsProps {
  readonly kind: RuleScope["kind"];
  readonly onKind: (kind: RuleScope["kind"]) => void;
}

/** Where a rule holds. */
export const ScopeFields = ({ kind, onKind }: ScopeFieldsProps) => (
  <div className="field-row field-row-even">
    <Field label="Where it holds">
      {(ids) => (
        <select
          {...ids}
          value={kind}
          onChange={(event) => onKind(event.target.value as RuleScope["kind"])}
        >
          <option value="organization">In the whole organisation</option>
          <option value="session">In one session</option>
          <option value="automation">In one automation</option>
        </select>
      )}
    </Field>
    {kind === "session" && <SessionField label="Session" required />}
    {kind === "automation" && <AutomationField />}
  </div>
);

const AutomationField = () => {
  const automations = useAutomations();
  if (automations.error) {
    return <LoadProblem error={automations.error} onRetry={() => void automations.refetch()} />;
  }
  const all = automations.data ?? [];
  return (
    <Field
      label="Automation"
      {...(automations.isSuccess && all.length === 0 && { hint: "There is none yet." })}
    >
      {(ids) => (
        <select {...ids} name="triggerId" required>
          {all.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
};
