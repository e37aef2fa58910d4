import type { RiskLevel } from "#contracts/invocation/events";
import type { InvocationStatus } from "#contracts/invocation/status";
import type { Tone } from "../ui/badge.tsx";

interface Shown {
  readonly label: string;
  readonly tone: Tone;
}

export const invocationStatusShown: Readonly<Record<InvocationStatus, Shown>> = {
  pending: { label: "Needs approval", tone: "warning" },
  approved: { label: "Approved", tone: "active" },
  executing: { label: "Running", tone: "active" },
  completed: { label: "Done", tone: "success" },
  denied: { label: "Denied", tone: "neutral" },
  failed: { label: "Failed", tone: "danger" },
  expired: { label: "Expired", tone: "neutral" },
  outcome_unknown: { label: "Outcome unknown", tone: "warning" },
};

export const riskShown: Readonly<Record<RiskLevel, Shown>> = {
  read: { label: "Reads", tone: "neutral" },
  write: { label: "Writes", tone: "warning" },
  danger: { label: "Dangerous", tone: "danger" },
};
