import type { FormEvent } from "react";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { formText } from "../ui/form-text.ts";

interface DenyFormProps {
  readonly busy: boolean;
  readonly disabled: boolean;
  readonly onBack: () => void;
  readonly onDeny: (reason: string) => void;
}

export const DenyForm = ({ busy, disabled, onBack, onDeny }: DenyFormProps) => {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onDeny(formText(new FormData(event.currentTarget), "reason"));
  };
  return (
    <form className="form" onSubmit={submit}>
      <Field label="Reason" hint="The agent reads it, and can act on it.">
        {(ids) => <textarea {...ids} name="reason" rows={2} maxLength={500} autoFocus />}
      </Field>
      <div className="button-row">
        <Button kind="danger" type="submit" busy={busy} disabled={disabled}>
          Deny the action
        </Button>
        <Button kind="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
};
