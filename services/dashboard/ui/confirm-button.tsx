import { type ReactNode, useId, useRef } from "react";
import { Button } from "./button.tsx";

interface ConfirmButtonProps {
  readonly label: string;
  readonly question: string;
  /** What will happen, in a sentence or two. */
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
}

/** A button for what cannot be undone; it asks first. The browser's dialog keeps focus and Escape right. */
export const ConfirmButton = (props: ConfirmButtonProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const confirm = () => {
    dialog.current?.close();
    props.onConfirm();
  };
  return (
    <>
      <Button kind="danger" busy={props.busy} onClick={() => dialog.current?.showModal()}>
        {props.label}
      </Button>
      <dialog className="dialog" ref={dialog} aria-labelledby={titleId}>
        <h2 id={titleId}>{props.question}</h2>
        <p>{props.children}</p>
        <div className="button-row button-row-end">
          <Button autoFocus onClick={() => dialog.current?.close()}>
            Keep it
          </Button>
          <Button kind="danger" onClick={confirm}>
            {props.confirmLabel}
          </Button>
        </div>
      </dialog>
    </>
  );
};
