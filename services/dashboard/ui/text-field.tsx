import type { InputHTMLAttributes } from "react";
import { Field } from "./field.tsx";

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "id"> {
  readonly label: string;
  readonly hint?: string;
}

/** A labelled field of one line; everything but label and hint is the input's own. */
export const TextField = ({ label, hint, ...input }: TextFieldProps) => (
  <Field label={label} {...(hint !== undefined && { hint })}>
    {(ids) => <input {...ids} {...input} />}
  </Field>
);
