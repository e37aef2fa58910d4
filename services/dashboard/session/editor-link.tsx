import { useEffect, useRef } from "react";
import { Notice } from "../ui/notice.tsx";

/**
 * Leads to an editor that has started. It does not open by itself: starting takes a while, and by then the
 * browser takes a new tab for one that nobody has asked for.
 */
export const EditorLink = ({ address }: { readonly address: string }) => {
  const link = useRef<HTMLAnchorElement>(null);
  // From the button that was pressed, Enter goes on to here.
  useEffect(() => link.current?.focus(), [address]);
  return (
    <Notice tone="success">
      <span>VS Code is ready.</span>
      <a
        className="button button-secondary"
        ref={link}
        href={address}
        target="_blank"
        rel="noopener noreferrer"
      >
        Open it in a new tab
      </a>
    </Notice>
  );
};
