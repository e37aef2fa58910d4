import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "react-router";

/**
 * A page's heading. It takes the focus when somebody has come here from another page, so that what follows
 * is read aloud from the top; on the first page the browser does that.
 */
export const PageHeading = ({ children }: { readonly children: ReactNode }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  useEffect(() => {
    if (key !== "default") heading.current?.focus();
  }, [key]);
  return (
    <h1 className="page-heading" ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
};
