import type { ReactNode } from "react";

interface NoticeProps {
  readonly tone: "info" | "success" | "warning" | "danger";
  readonly children: ReactNode;
}

/** A sentence about what happened. Errors interrupt a screen reader, the rest waits its turn. */
export const Notice = ({ tone, children }: NoticeProps) => (
  <div className={`notice notice-${tone}`} role={tone === "danger" ? "alert" : "status"}>
    {children}
  </div>
);
