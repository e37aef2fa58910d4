import { type FormEvent, useState } from "react";
import type { ConnectorView } from "#contracts/http/connectors";
import { FormEnd } from "../ui/form-end.tsx";
import { formText } from "../ui/form-text.ts";
import { TextField } from "../ui/text-field.tsx";
import { useChangeConnector } from "./connector-queries.ts";
import { readChange } from "./read-settings.ts";
import { SettingsFields } from "./settings-fields.tsx";

/** Changes a connector where it stands: its rules and modes go by its id, which stays. */
export const ChangeSettingsForm = ({ connector }: { readonly connector: ConnectorView }) => {
  const change = useChangeConnector(connector.connector);
  const { target } = connector;
  /** Raised to begin with empty fields again: what was typed is secret. */
  const [round, setRound] = useState(0);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    change.mutate(
      { name: formText(form, "name"), settings: readChange(target.kind, form) },
      { onSuccess: () => setRound(round + 1) },
    );
  };
  return (
    <form className="panel form" onSubmit={submit} aria-label="Change the connector">
      <h2>Change the connector</h2>
      <p className="hint">
        It is tried before anything changes. Credentials stay with their server: for another one,
        give those of it.
      </p>
      <TextField
        label="Name"
        hint="For people."
        name="name"
        required
        maxLength={100}
        defaultValue={connector.name}
      />
      <SettingsFields key={round} kind={target.kind} target={target} />
      <FormEnd sent={change} done="The connector was changed.">
        Change connector
      </FormEnd>
    </form>
  );
};
