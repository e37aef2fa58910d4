import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import type { ConnectorTarget } from "#contracts/connector/events";
import { Field } from "../ui/field.tsx";
import { FormEnd } from "../ui/form-end.tsx";
import { formText } from "../ui/form-text.ts";
import { TextField } from "../ui/text-field.tsx";
import { useCreateConnector } from "./connector-queries.ts";
import { readSettings } from "./read-settings.ts";
import { SettingsFields } from "./settings-fields.tsx";

/** Adds an MCP server or a database, and goes on to its page. */
export const AddConnectorForm = () => {
  const add = useCreateConnector();
  const navigate = useNavigate();
  const [kind, setKind] = useState<ConnectorTarget["kind"]>("mcp");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const connector = formText(form, "connector");
    add.mutate(
      { connector, name: formText(form, "name"), settings: readSettings(kind, form) },
      { onSuccess: () => void navigate(`/connectors/${connector}`) },
    );
  };
  return (
    <form className="panel form" onSubmit={submit} aria-label="Add a connector">
      <h2>Add a connector</h2>
      <div className="field-row field-row-even">
        <Field label="Kind">
          {(ids) => (
            <select
              {...ids}
              value={kind}
              onChange={(event) => setKind(event.target.value as ConnectorTarget["kind"])}
            >
              <option value="mcp">MCP server</option>
              <option value="postgres">Postgres database, read only</option>
            </select>
          )}
        </Field>
        <TextField label="Name" hint="For people." name="name" required maxLength={100} />
        <TextField
          label="Id"
          hint="For agents and rules; it stays. a–z, 0–9, _ and -."
          name="connector"
          required
          pattern="[a-z0-9][a-z0-9_\-]{0,63}"
          spellCheck={false}
          autoCapitalize="none"
        />
      </div>
      <SettingsFields kind={kind} target={null} />
      <FormEnd sent={add} kind="primary">
        Add connector
      </FormEnd>
    </form>
  );
};
