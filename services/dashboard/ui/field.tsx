import { type ReactNode, useId } from "react";

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** The control; gets the ids that tie it to its label and hint. */
  readonly children: (ids: {
    readonly id: string;
    readonly "aria-describedby"?: string;
  }) => ReactNode;
}

export const Field = ({ label, hint, children }: FieldProps) => {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...(hint !== undefined && { "aria-describedby": hintId }) })}
      {hint !== undefined && (
        <p className="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
};
