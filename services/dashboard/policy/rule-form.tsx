import { type FormEvent, useRef, useState } from "react";
import { actionModeSchema } from "#contracts/policy/mode";
import { maxRuleBudget, type RuleScope } from "#contracts/policy/rules";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { problemText } from "../ui/problem-text.ts";
import { useAddRule } from "./policy-queries.ts";
import { readRule } from "./read-rule.ts";
import { modeShown } from "./rule-text.ts";
import { ScopeFields } from "./scope-fields.tsx";
import { useConditions } from "./use-conditions.ts";
import { ConditionFields } from "./condition-fields.tsx";

/** Adds a rule. */
export const RuleForm = () => {
  const add = useAddRule();
  const [scope, setScope] = useState<RuleScope["kind"]>("organization");
  const conditions = useConditions();
  const conditionList = useRef<HTMLDivElement>(null);
  const [unreadable, setUnreadable] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = event.currentTarget;
    const rule = readRule({ form: new FormData(fields), scope, conditions: conditions.drafts });
    setUnreadable(rule === null);
    if (!rule) return;
    add.mutate(rule, {
      onSuccess: () => {
        fields.reset();
        setScope("organization");
        conditions.clear();
      },
    });
  };
  return (
    <form className="panel form" onSubmit={submit} aria-label="Add a rule">
      <h2>Add a rule</h2>
      <WhatFields />
      <ScopeFields kind={scope} onKind={setScope} />
      <div className="form" role="group" aria-label="Conditions" tabIndex={-1} ref={conditionList}>
        {conditions.drafts.map((draft, index) => (
          <ConditionFields
            key={draft.key}
            draft={draft}
            number={index + 1}
            onChange={conditions.change}
            onRemove={() => {
              conditions.remove(draft.key);
              conditionList.current?.focus();
            }}
          />
        ))}
      </div>
      <div className="button-row">
        <Button disabled={conditions.full} onClick={conditions.add}>
          Add a condition
        </Button>
      </div>
      <LimitFields />
      <Field label="Why it is there">
        {(ids) => <input {...ids} name="note" maxLength={500} />}
      </Field>
      {unreadable && <Notice tone="danger">Something here is not as a rule wants it.</Notice>}
      {add.error && <Notice tone="danger">{problemText(add.error)}</Notice>}
      {add.isSuccess && <Notice tone="success">The rule was added.</Notice>}
      <div className="button-row button-row-end">
        <Button kind="primary" type="submit" busy={add.isPending}>
          Add rule
        </Button>
      </div>
    </form>
  );
};

const WhatFields = () => (
  <div className="field-row field-row-even">
    <Field label="Integration" hint="* for all; agent for the agent’s own tools.">
      {(ids) => <input {...ids} name="integration" required maxLength={100} spellCheck={false} />}
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
);

const LimitFields = () => (
  <div className="field-row field-row-even">
    <Field label="Calls in all" hint="For rules that allow; empty for any number.">
      {(ids) => <input {...ids} name="budget" type="number" min={1} max={maxRuleBudget} />}
    </Field>
    <Field label="Ends" hint="In your time zone; empty for never.">
      {(ids) => <input {...ids} name="expiresAt" type="datetime-local" />}
    </Field>
  </div>
);
