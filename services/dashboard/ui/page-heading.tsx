import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { useLocation } from "react-router";

interface PageHeadingProps {
  /** For a page that leads the focus here itself, after what had it is gone. */
  readonly ref?: RefObject<HTMLHeadingElement | null>;
  readonly children: ReactNode;
}

/**
 * A page's heading. It takes the focus when somebody has come here from another page, so that what follows
 * is read aloud from the top; on the first page the browser does that.
 */
export const PageHeading = ({ ref, children }: PageHeadingProps) => {
  const own = useRef<HTMLHeadingElement>(null);
  const heading = ref ?? own;
  const { key } = useLocation();
  useEffect(() => {
    if (key !== "default") heading.current?.focus();
  }, [heading, key]);
  return (
    <h1 className="page-heading" ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
};
