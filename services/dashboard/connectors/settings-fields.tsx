import type { ConnectorTarget } from "#contracts/connector/events";
import { Field } from "../ui/field.tsx";
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
    <Field label="Address" hint="Of the MCP server, without a query: it is shown and logged.">
      {(ids) => (
        <input
          {...ids}
          name="url"
          type="url"
          required
          maxLength={500}
          defaultValue={target?.url}
          spellCheck={false}
          placeholder="https://tracker.example/mcp"
        />
      )}
    </Field>
    <AuthFields known={target !== null} />
  </>
);

const PostgresFields = ({ target }: FieldsOf<"postgres">) => (
  <>
    <div className="field-row">
      <Field label="Host">
        {(ids) => (
          <input
            {...ids}
            name="host"
            required
            maxLength={253}
            defaultValue={target?.host}
            spellCheck={false}
          />
        )}
      </Field>
      <Field label="Port">
        {(ids) => (
          <input
            {...ids}
            name="port"
            type="number"
            required
            min={1}
            max={65_535}
            defaultValue={target?.port ?? 5432}
          />
        )}
      </Field>
    </div>
    <div className="field-row field-row-even">
      <Field label="Database">
        {(ids) => (
          <input {...ids} name="database" required maxLength={63} defaultValue={target?.database} />
        )}
      </Field>
      <Field label="User" hint="Best one that may only read.">
        {(ids) => (
          <input
            {...ids}
            name="user"
            required
            maxLength={63}
            defaultValue={target?.user}
            autoComplete="off"
          />
        )}
      </Field>
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
