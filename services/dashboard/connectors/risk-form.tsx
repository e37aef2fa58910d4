import type { FormEvent } from "react";
import { riskLevelSchema } from "#contracts/policy/mode";
import type { PolicyView } from "#contracts/policy/view";
import { useOverrideRisk } from "../policy/policy-queries.ts";
import { SetBy } from "../policy/set-by.tsx";
import { Field } from "../ui/field.tsx";
import { FormEnd } from "../ui/form-end.tsx";
import { formText } from "../ui/form-text.ts";
import { RiskOptions } from "./risk-options.tsx";

interface RiskFormProps {
  readonly integration: string;
  /** What the organisation says of all its actions, if it says something. */
  readonly present: PolicyView["risks"][number] | undefined;
}

/** Says how far all actions of an integration reach, whatever it says of itself. */
export const RiskForm = ({ integration, present }: RiskFormProps) => {
  const override = useOverrideRisk(integration);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const chosen = formText(new FormData(event.currentTarget), "risk");
    override.mutate(riskLevelSchema.safeParse(chosen).data ?? null);
  };
  return (
    <form className="panel form" onSubmit={submit} aria-label="How far its actions reach">
      <Field
        label="How far its actions reach"
        hint="Where nobody has decided: what reads runs, what writes waits for a person, what is dangerous is refused. A single action can differ."
      >
        {(ids) => (
          <select {...ids} name="risk" key={present?.risk} defaultValue={present?.risk ?? ""}>
            <RiskOptions otherwise={null} />
          </select>
        )}
      </Field>
      {present && (
        <p className="muted">
          <SetBy set={present} />
        </p>
      )}
      <FormEnd sent={override} done="Saved.">
        Save
      </FormEnd>
    </form>
  );
};
