import type { SessionStatus } from "#contracts/session/view";
import { Badge } from "../ui/badge.tsx";
import { statusShown } from "./session-status.ts";

export const StatusBadge = ({ status }: { readonly status: SessionStatus }) => {
  const { label, tone, moving } = statusShown[status];
  return (
    <Badge tone={tone} moving={moving}>
      {label}
    </Badge>
  );
};
