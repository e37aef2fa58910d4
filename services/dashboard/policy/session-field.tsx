import { useId } from "react";
import { useNewestSessions } from "../session/session-queries.ts";
import { Field } from "../ui/field.tsx";

interface SessionFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
}

/** Takes the id of a session, and offers the newest ones. */
export const SessionField = ({ label, hint, required = false }: SessionFieldProps) => {
  const listId = useId();
  const { data: newest = [] } = useNewestSessions();
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      {(ids) => (
        <>
          <input
            {...ids}
            name="sessionId"
            list={listId}
            required={required}
            pattern="ses_\w+"
            title="An id that begins with ses_"
            spellCheck={false}
            autoComplete="off"
          />
          <datalist id={listId}>
            {newest.map(({ id, title }) => (
              <option key={id} value={id} label={title} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
};
