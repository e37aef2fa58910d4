import { TextField } from "../ui/text-field.tsx";

interface SecretFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly optional?: boolean;
}

/** For what is typed here and never shown again. Browsers are asked not to keep it. */
export const SecretField = ({ label, name, hint, optional = false }: SecretFieldProps) => (
  <TextField
    label={label}
    {...(hint !== undefined && { hint })}
    name={name}
    type="password"
    required={!optional}
    maxLength={4096}
    autoComplete="new-password"
    spellCheck={false}
  />
);
