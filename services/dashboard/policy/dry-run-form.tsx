import { type FormEvent, useState } from "react";
import { idSchema } from "#contracts/ids";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { formText } from "../ui/form-text.ts";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { readJsonObject } from "../ui/read-json-object.ts";
import { TextField } from "../ui/text-field.tsx";
import { useDryRun } from "./policy-queries.ts";
import { modeShown } from "./rule-text.ts";
import { SessionField } from "./session-field.tsx";

/** Asks what would happen to an action; nothing does. */
export const DryRunForm = () => {
  const { mutate, data, isPending, error } = useDryRun();
  const [params, setParams] = useState("{}");
  const given = readJsonObject(params);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    if (!given) return;
    mutate({
      integration: formText(form, "integration"),
      action: formText(form, "action"),
      params: given,
      sessionId: idSchema("session").safeParse(formText(form, "sessionId")).data ?? null,
    });
  };
  return (
    <form className="panel form" onSubmit={submit} aria-label="Try it out">
      <h2>Try it out</h2>
      <div className="field-row">
        <TextField
          label="Integration"
          name="integration"
          required
          maxLength={100}
          spellCheck={false}
        />
        <TextField label="Action" name="action" required maxLength={100} spellCheck={false} />
      </div>
      <SessionField label="In this session" hint="Its rules count as well; empty for none." />
      <Field label="Parameters" hint="A JSON object.">
        {(ids) => (
          <textarea
            {...ids}
            className="code-input"
            rows={3}
            spellCheck={false}
            value={params}
            onChange={(event) => setParams(event.target.value)}
          />
        )}
      </Field>
      {!given && <Notice tone="warning">This is no JSON object.</Notice>}
      <ProblemNotice error={error} />
      {data && (
        <Notice tone="info">
          <p>
            <Badge tone={modeShown[data.mode].tone}>{modeShown[data.mode].label}</Badge>{" "}
            {data.because}
            {data.ruleId !== null && <span className="muted"> ({data.ruleId})</span>}
          </p>
        </Notice>
      )}
      <div className="button-row button-row-end">
        <Button type="submit" busy={isPending} disabled={!given}>
          What would happen?
        </Button>
      </div>
    </form>
  );
};
