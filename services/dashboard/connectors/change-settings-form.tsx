import { type FormEvent, useState } from "react";
import type { ConnectorView } from "#contracts/http/connectors";
import { FormEnd } from "../ui/form-end.tsx";
import { useChangeConnector } from "./connector-queries.ts";
import { readSettings } from "./read-settings.ts";
import { SettingsFields } from "./settings-fields.tsx";

/** Gives a connector other settings and credentials, all of them: the former credentials cannot be read. */
export const ChangeSettingsForm = ({ connector }: { readonly connector: ConnectorView }) => {
  const change = useChangeConnector(connector.connector);
  const { target } = connector;
  /** Raised to begin with empty fields again: what was typed is secret. */
  const [round, setRound] = useState(0);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const settings = readSettings(target.kind, new FormData(event.currentTarget));
    change.mutate(settings, { onSuccess: () => setRound(round + 1) });
  };
  return (
    <form className="panel form" onSubmit={submit} aria-label="Change the settings">
      <h2>Change the settings</h2>
      <p className="hint">
        Credentials are kept encrypted and shown to nobody. Give them anew with every change.
      </p>
      <SettingsFields key={round} kind={target.kind} target={target} />
      <FormEnd sent={change} done="The settings were changed.">
        Change settings
      </FormEnd>
    </form>
  );
};
