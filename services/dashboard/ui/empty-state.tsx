import type { ReactNode } from "react";

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
}

/** What a page shows when there is nothing to show, and what to do about it. */
export const EmptyState = ({ title, children }: EmptyStateProps) => (
  <div className="empty-state">
    <h2>{title}</h2>
    {children}
  </div>
);
