import type { Condition } from "#contracts/policy/rules";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
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
      <Field label="Parameter" hint="Its name; issue.team is one inside another.">
        {(ids) => (
          <input
            {...ids}
            required
            maxLength={200}
            spellCheck={false}
            value={draft.path}
            onChange={(event) => onChange({ ...draft, path: event.target.value })}
          />
        )}
      </Field>
      <Field label="Compared">
        {(ids) => (
          <select
            {...ids}
            value={draft.op}
            onChange={(event) => onChange({ ...draft, op: event.target.value as Condition["op"] })}
          >
            {Object.entries(ops).map(([op, label]) => (
              <option key={op} value={op}>
                {label}
              </option>
            ))}
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

const Values = ({ draft, onChange }: Pick<ConditionFieldsProps, "draft" | "onChange">) => {
  switch (draft.op) {
    case "matches":
      return (
        <Field label="Pattern" hint="* stands for any characters, ? for one.">
          {(ids) => (
            <input
              {...ids}
              required
              maxLength={200}
              spellCheck={false}
              value={draft.text}
              onChange={(event) => onChange({ ...draft, text: event.target.value })}
            />
          )}
        </Field>
      );
    case "equals":
      return (
        <Field label="Value" hint="7 is a number, “7” in straight quotes a text.">
          {(ids) => (
            <input
              {...ids}
              required
              maxLength={500}
              spellCheck={false}
              value={draft.text}
              onChange={(event) => onChange({ ...draft, text: event.target.value })}
            />
          )}
        </Field>
      );
    case "in":
      return (
        <Field label="Values" hint="Each on a line of its own, 100 at most.">
          {(ids) => (
            <textarea
              {...ids}
              required
              rows={3}
              spellCheck={false}
              value={draft.text}
              onChange={(event) => onChange({ ...draft, text: event.target.value })}
            />
          )}
        </Field>
      );
    case "between":
      return (
        <div className="field-row field-row-even">
          {(["min", "max"] as const).map((end) => (
            <Field key={end} label={end === "min" ? "From" : "To"}>
              {(ids) => (
                <input
                  {...ids}
                  type="number"
                  step="any"
                  value={draft[end]}
                  onChange={(event) => onChange({ ...draft, [end]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
      );
  }
};
