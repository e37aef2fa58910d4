import { type FormEvent, useState } from "react";
import { Link, useNavigate } from "react-router";
import { maxTitleLength } from "#contracts/session/limits";
import { useIdempotencyKey } from "../app/use-idempotency-key.ts";
import { ConnectionChoice } from "../session/connection-choice.tsx";
import { useCreateSession } from "../session/session-queries.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { formText } from "../ui/form-text.ts";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { TextField } from "../ui/text-field.tsx";

export const NewSessionPage = () => {
  const create = useCreateSession();
  const navigate = useNavigate();
  const { keyOf } = useIdempotencyKey();
  const [connections, setConnections] = useState<readonly string[] | null>(null);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const body = requestOf(new FormData(event.currentTarget), connections);
    create.mutate(
      { body, idempotencyKey: keyOf(body) },
      { onSuccess: ({ sessionId }) => void navigate(`/sessions/${sessionId}`) },
    );
  };

  return (
    <div className="page page-narrow">
      <title>New session · Proliferate</title>
      <header className="page-head">
        <h1>New session</h1>
      </header>
      <form className="panel form" onSubmit={submit}>
        <TextField label="Title" name="title" required maxLength={maxTitleLength} autoFocus />
        <div className="field-row">
          <TextField
            label="Repository"
            hint="An address that git can clone. Leave it empty for a bare workspace."
            name="url"
            maxLength={2048}
            spellCheck={false}
            inputMode="url"
          />
          <TextField
            label="Branch, tag or commit"
            name="ref"
            maxLength={256}
            spellCheck={false}
            placeholder="HEAD"
          />
        </div>
        <Field
          label="First prompt"
          hint="The agent begins with it as soon as its sandbox is ready."
        >
          {(ids) => <textarea {...ids} name="prompt" rows={5} />}
        </Field>
        <ConnectionChoice chosen={connections} onChoose={setConnections} />
        <ProblemNotice error={create.error} />
        <div className="button-row button-row-end">
          <Link className="button button-quiet" to="/">
            Back
          </Link>
          <Button kind="primary" type="submit" busy={create.isPending}>
            Create session
          </Button>
        </div>
      </form>
    </div>
  );
};

const requestOf = (form: FormData, connections: readonly string[] | null) => {
  const text = (name: string): string => formText(form, name);
  const [url, ref, prompt] = [text("url"), text("ref"), text("prompt")];
  return {
    title: text("title"),
    repository: url === "" ? null : { url, ...(ref !== "" && { ref }) },
    ...(prompt !== "" && { prompt }),
    ...(connections !== null && { connections: [...connections] }),
  };
};
