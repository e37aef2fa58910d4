import { type FormEvent, useState } from "react";
import { Link, useNavigate } from "react-router";
import { maxTitleLength } from "#contracts/session/limits";
import { useIdempotencyKey } from "../app/use-idempotency-key.ts";
import { ConnectionChoice } from "../session/connection-choice.tsx";
import { useCreateSession } from "../session/session-queries.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { formText } from "../ui/form-text.ts";
import { Notice } from "../ui/notice.tsx";
import { problemText } from "../ui/problem-text.ts";

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
        <Field label="Title">
          {(ids) => <input {...ids} name="title" required maxLength={maxTitleLength} autoFocus />}
        </Field>
        <div className="field-row">
          <Field
            label="Repository"
            hint="An address that git can clone. Leave it empty for a bare workspace."
          >
            {(ids) => (
              <input {...ids} name="url" maxLength={2048} spellCheck={false} inputMode="url" />
            )}
          </Field>
          <Field label="Branch, tag or commit">
            {(ids) => (
              <input {...ids} name="ref" maxLength={256} spellCheck={false} placeholder="HEAD" />
            )}
          </Field>
        </div>
        <Field
          label="First prompt"
          hint="The agent begins with it as soon as its sandbox is ready."
        >
          {(ids) => <textarea {...ids} name="prompt" rows={5} />}
        </Field>
        <ConnectionChoice chosen={connections} onChoose={setConnections} />
        {create.error && <Notice tone="danger">{problemText(create.error)}</Notice>}
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
