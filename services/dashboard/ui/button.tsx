import type { ButtonHTMLAttributes } from "react";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: "primary" | "secondary" | "quiet" | "danger";
  /** Something is under way: the button says so and cannot be pressed again. */
  readonly busy?: boolean;
}

export const Button = ({ kind = "secondary", busy = false, disabled, ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    className={`button button-${kind}`}
    disabled={disabled === true || busy}
    aria-busy={busy}
  />
);
