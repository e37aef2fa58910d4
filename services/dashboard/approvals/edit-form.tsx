import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { readJsonObject } from "../ui/read-json-object.ts";

interface EditFormProps {
  readonly params: Readonly<Record<string, unknown>>;
  readonly busy: boolean;
  readonly disabled: boolean;
  readonly onBack: () => void;
  readonly onApprove: (params: Record<string, unknown>) => void;
}

/** The parameters as JSON, to be approved otherwise than they were asked for. The server checks them. */
export const EditForm = ({ params, busy, disabled, onBack, onApprove }: EditFormProps) => {
  const [text, setText] = useState(() => JSON.stringify(params, null, 2));
  const edited = readJsonObject(text);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (edited) onApprove(edited);
  };
  return (
    <form className="form" onSubmit={submit}>
      <Field
        label="Edited parameters"
        hint="They take the place of what the agent asked for; both are recorded."
      >
        {(ids) => (
          <textarea
            {...ids}
            className="code-input"
            rows={Math.min(16, text.split("\n").length + 1)}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {!edited && <Notice tone="warning">This is no JSON object.</Notice>}
      <div className="button-row">
        <Button kind="primary" type="submit" busy={busy} disabled={disabled || !edited}>
          Approve as edited
        </Button>
        <Button kind="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
};
