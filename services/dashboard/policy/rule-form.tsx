import { type FormEvent } from "react";
import { actionModeSchema } from "#contracts/policy/mode";
import { maxRuleBudget, type PolicyRule } from "#contracts/policy/rules";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { formText } from "../ui/form-text.ts";
import { Notice } from "../ui/notice.tsx";
import { problemText } from "../ui/problem-text.ts";
import { useAddRule } from "./policy-queries.ts";
import { modeShown } from "./rule-text.ts";

/** Adds a rule for the whole organisation. */
export const RuleForm = () => {
  const add = useAddRule();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    add.mutate(ruleOf(new FormData(form)), { onSuccess: () => form.reset() });
  };
  return (
    <form className="panel form" onSubmit={submit} aria-label="Add a rule">
      <h2>Add a rule</h2>
      <div className="field-row field-row-even">
        <Field label="Integration" hint="* for all; agent for the agent’s own tools.">
          {(ids) => (
            <input {...ids} name="integration" required maxLength={100} spellCheck={false} />
          )}
        </Field>
        <Field label="Action" hint="* for all; of agent: bash, edit, webfetch …">
          {(ids) => <input {...ids} name="action" required maxLength={100} spellCheck={false} />}
        </Field>
        <Field label="What happens">
          {(ids) => (
            <select {...ids} name="mode" defaultValue="require_approval">
              {actionModeSchema.options.map((mode) => (
                <option key={mode} value={mode}>
                  {modeShown[mode].label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <div className="field-row field-row-even">
        <Field label="Only if this parameter" hint="Its name; empty for all calls.">
          {(ids) => <input {...ids} name="path" maxLength={200} spellCheck={false} />}
        </Field>
        <Field label="is like" hint="* stands for any characters, ? for one.">
          {(ids) => <input {...ids} name="glob" maxLength={200} spellCheck={false} />}
        </Field>
        <Field label="Calls in all" hint="For rules that allow; empty for any number.">
          {(ids) => <input {...ids} name="budget" type="number" min={1} max={maxRuleBudget} />}
        </Field>
      </div>
      <Field label="Why it is there">
        {(ids) => <input {...ids} name="note" maxLength={500} />}
      </Field>
      {add.error && <Notice tone="danger">{problemText(add.error)}</Notice>}
      <div className="button-row button-row-end">
        <Button kind="primary" type="submit" busy={add.isPending}>
          Add rule
        </Button>
      </div>
    </form>
  );
};

/** The server checks what does not go together, such as a budget of a rule that denies. */
const ruleOf = (form: FormData): PolicyRule => {
  const text = (name: string): string => formText(form, name);
  const [path, glob, budget] = [text("path"), text("glob"), text("budget")];
  return {
    integration: text("integration"),
    action: text("action"),
    mode: actionModeSchema.parse(text("mode")),
    scope: { kind: "organization" },
    conditions: path === "" && glob === "" ? [] : [{ op: "matches", path, glob }],
    expiresAt: null,
    budget: budget === "" ? null : Number(budget),
    note: text("note"),
  };
};
