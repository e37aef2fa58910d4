import { type ReactNode, useId } from "react";

interface ChoiceProps {
  readonly type: "radio" | "checkbox";
  /** Ties radio buttons together. */
  readonly name?: string;
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  /** What is to be known about it; read aloud after the label. */
  readonly children?: ReactNode;
}

/** Something to tick, or one of several to pick; the whole line can be pressed. */
export const Choice = ({ type, name, label, checked, onChange, children }: ChoiceProps) => {
  const id = useId();
  const aboutId = `${id}-about`;
  return (
    <div className="choice">
      <input
        id={id}
        type={type}
        name={name}
        checked={checked}
        aria-describedby={children === undefined ? undefined : aboutId}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {children !== undefined && <span id={aboutId}>{children}</span>}
    </div>
  );
};
