import { type FormEvent, useRef, useState } from "react";
import { maxRuleBudget, type RuleScope } from "#contracts/policy/rules";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { FormEnd } from "../ui/form-end.tsx";
import { Notice } from "../ui/notice.tsx";
import { TextField } from "../ui/text-field.tsx";
import { ModeOptions } from "./mode-options.tsx";
import { useAddRule } from "./policy-queries.ts";
import { readRule } from "./read-rule.ts";
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
      <TextField label="Why it is there" name="note" maxLength={500} />
      {unreadable && <Notice tone="danger">Something here is not as a rule wants it.</Notice>}
      <FormEnd sent={add} done="The rule was added." kind="primary">
        Add rule
      </FormEnd>
    </form>
  );
};

const WhatFields = () => (
  <div className="field-row field-row-even">
    <TextField
      label="Integration"
      hint="* for all; agent for the agent’s own tools."
      name="integration"
      required
      maxLength={100}
      spellCheck={false}
    />
    <TextField
      label="Action"
      hint="* for all; of agent: bash, edit, webfetch …"
      name="action"
      required
      maxLength={100}
      spellCheck={false}
    />
    <Field label="What happens">
      {(ids) => (
        <select {...ids} name="mode" defaultValue="require_approval">
          <ModeOptions />
        </select>
      )}
    </Field>
  </div>
);

const LimitFields = () => (
  <div className="field-row field-row-even">
    <TextField
      label="Calls in all"
      hint="For rules that allow; empty for any number."
      name="budget"
      type="number"
      min={1}
      max={maxRuleBudget}
    />
    <TextField
      label="Ends"
      hint="In your time zone; empty for never."
      name="expiresAt"
      type="datetime-local"
    />
  </div>
);
