import type { FormEvent } from "react";
import type { AvailableIntegration } from "#contracts/actions/definition";
import { type ActionMode, actionModeSchema, riskLevelSchema } from "#contracts/policy/mode";
import { ModeOptions } from "../policy/mode-options.tsx";
import { useSetAction } from "../policy/policy-queries.ts";
import { Field } from "../ui/field.tsx";
import { FormEnd } from "../ui/form-end.tsx";
import { formText } from "../ui/form-text.ts";
import type { risksOf } from "./action-text.ts";
import { RiskOptions } from "./risk-options.tsx";

interface ToolSettingsProps {
  readonly integration: string;
  readonly action: AvailableIntegration["actions"][number];
  readonly risks: ReturnType<typeof risksOf>;
  /** What the organisation has decided about this action; null if nothing. */
  readonly setMode: ActionMode | null;
}

/**
 * Decides about one action. Nothing changes before it is saved: whoever goes through the options by
 * keyboard must not let an action run on the way.
 */
export const ToolSettings = ({ integration, action, risks, setMode }: ToolSettingsProps) => {
  const set = useSetAction();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const mode = actionModeSchema.safeParse(formText(form, "mode")).data ?? null;
    const risk = riskLevelSchema.safeParse(formText(form, "risk")).data ?? null;
    // An action that has changed is allowed anew, as it is now.
    const sameMode = mode === setMode && !(action.drifted && mode === "allow");
    set.mutate({
      ...{ integration, action: action.id },
      mode: sameMode ? undefined : mode,
      risk: risk === risks.own ? undefined : risk,
    });
  };
  return (
    <form className="form" onSubmit={submit} aria-label="What happens to it">
      <div className="field-row field-row-even">
        <Field label="What happens" hint="Rules go before this.">
          {(ids) => (
            <select {...ids} name="mode" key={setMode} defaultValue={setMode ?? ""}>
              <option value="">As inferred: what its risk suggests</option>
              <ModeOptions />
            </select>
          )}
        </Field>
        <Field label="How far it reaches">
          {(ids) => (
            <select {...ids} name="risk" key={risks.own} defaultValue={risks.own ?? ""}>
              <RiskOptions otherwise={risks.otherwise} />
            </select>
          )}
        </Field>
      </div>
      <FormEnd sent={set} done="Saved.">
        {action.drifted ? "Save, as it is now" : "Save"}
      </FormEnd>
    </form>
  );
};
