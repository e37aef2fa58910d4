import type { ReactNode } from "react";

export type Tone = "neutral" | "active" | "success" | "warning" | "danger";

interface BadgeProps {
  readonly tone: Tone;
  /** Something moves behind this; the badge's dot pulses. */
  readonly moving?: boolean;
  readonly children: ReactNode;
}

export const Badge = ({ tone, moving = false, children }: BadgeProps) => (
  <span className={`badge badge-${tone}${moving ? " badge-moving" : ""}`}>{children}</span>
);
