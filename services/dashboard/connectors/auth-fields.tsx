import { useState } from "react";
import { Field } from "../ui/field.tsx";
import { Options } from "../ui/options.tsx";
import { TextField } from "../ui/text-field.tsx";
import { SecretField } from "./secret-field.tsx";
import { type AuthKind, keptAuth } from "./read-settings.ts";

const kinds: Readonly<Record<AuthKind, string>> = {
  none: "Nothing",
  bearer: "A token",
  headers: "A header of its own",
  oauth: "A person lets us in (OAuth)",
};

/**
 * How an MCP server is to know us. What is kept secret is only ever typed here, never shown.
 *
 * @param known whether there are credentials already, which may stay
 */
export const AuthFields = ({ known }: { readonly known: boolean }) => {
  const [kind, setKind] = useState<AuthKind | typeof keptAuth>(known ? keptAuth : "none");
  return (
    <>
      <Field label="What it asks for">
        {(ids) => (
          <select
            {...ids}
            name="auth"
            value={kind}
            onChange={(event) => setKind(event.target.value as AuthKind)}
          >
            {known && <option value={keptAuth}>As it is now</option>}
            <Options of={kinds} />
          </select>
        )}
      </Field>
      {kind === "bearer" && (
        <SecretField label="Token" name="token" hint="Sent as “Authorization: Bearer …”." />
      )}
      {kind === "headers" && (
        <div className="field-row field-row-even">
          <TextField
            label="Header"
            name="header"
            required
            pattern="[A-Za-z0-9\-]{1,100}"
            spellCheck={false}
            autoComplete="off"
            placeholder="X-Api-Key"
          />
          <SecretField label="Value" name="headerValue" />
        </div>
      )}
      {kind === "oauth" && <ClientFields />}
    </>
  );
};

const ClientFields = () => (
  <>
    <p className="hint">
      You are sent to the server to sign in once the connector is there. The rest is only for
      servers where a client has to be registered by hand.
    </p>
    <div className="field-row field-row-even">
      <TextField label="Client id" name="clientId" autoComplete="off" spellCheck={false} />
      <SecretField label="Client secret" name="clientSecret" optional />
      <TextField
        label="Scopes"
        name="scope"
        autoComplete="off"
        spellCheck={false}
        maxLength={1000}
      />
    </div>
  </>
);
