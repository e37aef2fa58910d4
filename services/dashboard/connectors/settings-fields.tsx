import type { ConnectorTarget } from "#contracts/connector/events";
import { Field } from "../ui/field.tsx";
import { TextField } from "../ui/text-field.tsx";
import { AuthFields } from "./auth-fields.tsx";
import { SecretField } from "./secret-field.tsx";

interface SettingsFieldsProps {
  readonly kind: ConnectorTarget["kind"];
  /** The settings so far, but for the credentials, which nobody can read. */
  readonly target: ConnectorTarget | null;
}

export const SettingsFields = ({ kind, target }: SettingsFieldsProps) =>
  kind === "mcp" ? (
    <McpFields target={target?.kind === "mcp" ? target : null} />
  ) : (
    <PostgresFields target={target?.kind === "postgres" ? target : null} />
  );

interface FieldsOf<Kind extends ConnectorTarget["kind"]> {
  readonly target: Extract<ConnectorTarget, { kind: Kind }> | null;
}

const McpFields = ({ target }: FieldsOf<"mcp">) => (
  <>
    <TextField
      label="Address"
      hint="Of the MCP server, without a query: it is shown and logged."
      name="url"
      type="url"
      required
      maxLength={500}
      defaultValue={target?.url}
      spellCheck={false}
      placeholder="https://tracker.example/mcp"
    />
    <AuthFields known={target !== null} />
  </>
);

const PostgresFields = ({ target }: FieldsOf<"postgres">) => (
  <>
    <div className="field-row">
      <TextField
        label="Host"
        name="host"
        required
        maxLength={253}
        defaultValue={target?.host}
        spellCheck={false}
      />
      <TextField
        label="Port"
        name="port"
        type="number"
        required
        min={1}
        max={65_535}
        defaultValue={target?.port ?? 5432}
      />
    </div>
    <div className="field-row field-row-even">
      <TextField
        label="Database"
        name="database"
        required
        maxLength={63}
        defaultValue={target?.database}
      />
      <TextField
        label="User"
        hint="Best one that may only read."
        name="user"
        required
        maxLength={63}
        defaultValue={target?.user}
        autoComplete="off"
      />
      <SecretField
        label="Password"
        name="password"
        {...(target && { hint: "Empty: as it is now.", optional: true })}
      />
    </div>
    <Field label="Encryption">
      {(ids) => (
        <select {...ids} name="tls" defaultValue={target?.tls ?? "verify"}>
          <option value="verify">TLS, with a certificate that we know</option>
          <option value="encrypt">TLS, with any certificate</option>
          <option value="off">None</option>
        </select>
      )}
    </Field>
  </>
);
