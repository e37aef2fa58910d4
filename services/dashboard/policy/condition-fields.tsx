import type { Condition } from "#contracts/policy/rules";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Options } from "../ui/options.tsx";
import { TextField } from "../ui/text-field.tsx";
import type { ConditionDraft } from "./condition-draft.ts";

interface ConditionFieldsProps {
  readonly draft: ConditionDraft;
  /** From 1. */
  readonly number: number;
  readonly onChange: (draft: ConditionDraft) => void;
  readonly onRemove: () => void;
}

const ops: Readonly<Record<Condition["op"], string>> = {
  matches: "is like",
  equals: "is",
  in: "is one of",
  between: "is a number between",
};

/** One condition of a rule. */
export const ConditionFields = ({ draft, number, onChange, onRemove }: ConditionFieldsProps) => (
  <fieldset className="condition">
    <legend>Condition {number}</legend>
    <div className="field-row field-row-even">
      <TextField
        label="Parameter"
        hint="Its name; issue.team is one inside another."
        required
        maxLength={200}
        spellCheck={false}
        // There are no conditions before somebody asks for one.
        autoFocus
        value={draft.path}
        onChange={(event) => onChange({ ...draft, path: event.target.value })}
      />
      <Field label="Compared">
        {(ids) => (
          <select
            {...ids}
            value={draft.op}
            onChange={(event) => onChange({ ...draft, op: event.target.value as Condition["op"] })}
          >
            <Options of={ops} />
          </select>
        )}
      </Field>
      <Values draft={draft} onChange={onChange} />
    </div>
    <div className="button-row button-row-end">
      <Button kind="quiet" onClick={onRemove} aria-label={`Remove condition ${number}`}>
        Remove condition
      </Button>
    </div>
  </fieldset>
);

const texts = {
  matches: { label: "Pattern", hint: "* stands for any characters, ? for one.", maxLength: 200 },
  equals: { label: "Value", hint: "7 is a number, “7” in straight quotes a text.", maxLength: 500 },
  in: { label: "Values", hint: "Each on a line of its own, 100 at most.", maxLength: 50_000 },
} as const;

const Values = ({ draft, onChange }: Pick<ConditionFieldsProps, "draft" | "onChange">) => {
  if (draft.op === "between") {
    return (
      <div className="field-row field-row-even">
        {(["min", "max"] as const).map((end) => (
          <TextField
            key={end}
            label={end === "min" ? "From" : "To"}
            type="number"
            step="any"
            value={draft[end]}
            onChange={(event) => onChange({ ...draft, [end]: event.target.value })}
          />
        ))}
      </div>
    );
  }
  const { label, hint, maxLength } = texts[draft.op];
  return (
    <Field label={label} hint={hint}>
      {(ids) => {
        const typed = { ...ids, required: true, maxLength, spellCheck: false, value: draft.text };
        return draft.op === "in" ? (
          <textarea
            {...typed}
            rows={3}
            onChange={(event) => onChange({ ...draft, text: event.target.value })}
          />
        ) : (
          <input
            {...typed}
            onChange={(event) => onChange({ ...draft, text: event.target.value })}
          />
        );
      }}
    </Field>
  );
};
