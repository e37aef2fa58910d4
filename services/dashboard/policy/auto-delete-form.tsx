import { type FormEvent, useState } from "react";
import type { AutoDeleteDefault } from "#contracts/organization/view";
import { maxAutoDeleteDays } from "#contracts/session/limits";
import { mayApprove, useUser } from "../app/identity.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { formText } from "../ui/form-text.ts";
import { LoadProblem } from "../ui/load-problem.tsx";
import { Notice } from "../ui/notice.tsx";
import { problemText } from "../ui/problem-text.ts";
import { useAutoDeleteDefault, useSetAutoDeleteDefault } from "./auto-delete-queries.ts";

/** When unused sessions are deleted, and for owners and admins the form that changes it. */
export const AutoDeleteForm = () => {
  const rule = useAutoDeleteDefault();
  const user = useUser();
  return (
    <section className="panel form" aria-label="Unused sessions">
      <h2>Unused sessions</h2>
      {rule.error && <LoadProblem error={rule.error} onRetry={() => void rule.refetch()} />}
      {rule.data && <p>{ruleText(rule.data)}</p>}
      {rule.data && mayApprove(user) && (
        <ChoiceForm key={`${rule.data.setBy} ${rule.data.days}`} rule={rule.data} />
      )}
    </section>
  );
};

const ruleText = ({ days, setBy }: AutoDeleteDefault): string => {
  const says = setBy === "deployment" ? "The deployment's rule counts: " : "";
  const what =
    days === null
      ? "unused sessions are kept"
      : `sessions are deleted, with all that was written in them, after ${days} ${days === 1 ? "day" : "days"} without use`;
  const text = `${says}${what}. A session with a rule of its own follows that.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
};

type Choice = "deployment" | "never" | "days";

const choiceOf = ({ days, setBy }: AutoDeleteDefault): Choice => {
  if (setBy === "deployment") return "deployment";
  return days === null ? "never" : "days";
};

const ChoiceForm = ({ rule }: { readonly rule: AutoDeleteDefault }) => {
  const { mutate, isPending, error } = useSetAutoDeleteDefault();
  const [choice, setChoice] = useState(choiceOf(rule));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const days = Number(formText(new FormData(event.currentTarget), "days"));
    mutate({ deployment: undefined, never: null, days }[choice]);
  };
  return (
    <form className="form" onSubmit={submit} aria-label="Delete unused sessions">
      <Field label="Delete them" hint="Nothing is deleted within a day of a change.">
        {(ids) => (
          <select
            {...ids}
            value={choice}
            onChange={({ target }) => setChoice(target.value as Choice)}
          >
            <option value="deployment">As the deployment says</option>
            <option value="days">After some days</option>
            <option value="never">Never</option>
          </select>
        )}
      </Field>
      {choice === "days" && (
        <Field label="Days without use">
          {(ids) => (
            <input
              {...ids}
              name="days"
              type="number"
              required
              min={1}
              max={maxAutoDeleteDays}
              defaultValue={rule.days ?? 30}
            />
          )}
        </Field>
      )}
      {error && <Notice tone="danger">{problemText(error)}</Notice>}
      <div className="button-row button-row-end">
        <Button type="submit" busy={isPending}>
          Save
        </Button>
      </div>
    </form>
  );
};
