import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

interface FormEndProps {
  /** What the form sends, as TanStack Query tells of it. */
  readonly sent: {
    readonly error: unknown;
    readonly isPending: boolean;
    readonly isSuccess: boolean;
  };
  /** A sentence for when it was taken; none where the form is gone by then. */
  readonly done?: string;
  readonly kind?: "primary" | "secondary";
  readonly disabled?: boolean;
  /** What the button says. */
  readonly children: ReactNode;
}

/** The end of a form: what became of it, and the button that sends it. */
export const FormEnd = ({ sent, done, kind, disabled = false, children }: FormEndProps) => (
  <>
    <ProblemNotice error={sent.error} />
    {done !== undefined && sent.isSuccess && <Notice tone="success">{done}</Notice>}
    <div className="button-row button-row-end">
      <Button
        {...(kind !== undefined && { kind })}
        type="submit"
        busy={sent.isPending}
        disabled={disabled}
      >
        {children}
      </Button>
    </div>
  </>
);
