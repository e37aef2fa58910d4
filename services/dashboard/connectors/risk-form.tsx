import type { FormEvent } from "react";
import { type RiskLevel, riskLevelSchema } from "#contracts/policy/mode";
import { useOverrideRisk } from "../policy/policy-queries.ts";
import { Field } from "../ui/field.tsx";
import { FormEnd } from "../ui/form-end.tsx";
import { formText } from "../ui/form-text.ts";
import { RiskOptions } from "./risk-options.tsx";

interface RiskFormProps {
  readonly integration: string;
  /** What the organisation says of all its actions; null if nothing. */
  readonly risk: RiskLevel | null;
}

/** Says how far all actions of an integration reach, whatever it says of itself. */
export const RiskForm = ({ integration, risk }: RiskFormProps) => {
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
          <select {...ids} name="risk" key={risk} defaultValue={risk ?? ""}>
            <RiskOptions otherwise={null} />
          </select>
        )}
      </Field>
      <FormEnd sent={override} done="Saved.">
        Save
      </FormEnd>
    </form>
  );
};
