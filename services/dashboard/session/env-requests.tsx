import { type FormEvent, useState } from "react";
import type { SessionId } from "#contracts/ids";
import type { EnvVariableRequest } from "#contracts/session/env-request";
import { FormEnd } from "../ui/form-end.tsx";
import { TextField } from "../ui/text-field.tsx";
import { useEnvRequests, useProvideEnvVariables } from "./session-queries.ts";

interface EnvRequestsProps {
  readonly sessionId: SessionId;
  /** How many requests were told live: each may be news. */
  readonly told: number;
}

/** The environment variables that the agent has asked for, to be given. */
export const EnvRequests = ({ sessionId, told }: EnvRequestsProps) => {
  const requests = useEnvRequests(sessionId, told);
  if (!requests.data || requests.data.length === 0) return null;
  return (
    <section className="approvals-here" aria-label="Waiting for values" aria-live="polite">
      {requests.data.map(({ requestId, keys }) => (
        <EnvRequest key={requestId} sessionId={sessionId} keys={keys} />
      ))}
    </section>
  );
};

interface EnvRequestProps {
  readonly sessionId: SessionId;
  readonly keys: readonly EnvVariableRequest[];
}

const EnvRequest = ({ sessionId, keys }: EnvRequestProps) => {
  const provide = useProvideEnvVariables(sessionId);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const given = Object.entries(values).filter(([, value]) => value !== "");
  const lacks = keys.some(({ key, required }) => required && !values[key]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    provide.mutate(Object.fromEntries(given));
  };
  return (
    <form className="approval" onSubmit={submit} aria-label="Values for the agent">
      <h3>The agent asks for values</h3>
      <p className="hint">
        They are kept encrypted and reach the sandbox alone, not the conversation.
      </p>
      {keys.map((wanted) => (
        <TextField
          key={wanted.key}
          label={wanted.required ? wanted.key : `${wanted.key} (optional)`}
          {...hintOf(wanted)}
          type={wanted.type === "secret" ? "password" : "text"}
          autoComplete="off"
          spellCheck={false}
          value={values[wanted.key] ?? ""}
          onChange={(event) => setValues({ ...values, [wanted.key]: event.target.value })}
        />
      ))}
      <FormEnd sent={provide} kind="primary" disabled={lacks || given.length === 0}>
        Give to the agent
      </FormEnd>
    </form>
  );
};

const hintOf = ({ description, suggestions = [] }: EnvVariableRequest): { hint?: string } => {
  const told = suggestions.map(({ label, value, instructions }) =>
    [label, value, instructions].filter(Boolean).join(": "),
  );
  const hint = [description, ...told].filter(Boolean).join(" · ");
  return hint === "" ? {} : { hint };
};
