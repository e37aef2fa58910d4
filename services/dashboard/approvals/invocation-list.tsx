import { Badge } from "../ui/badge.tsx";
import { invocationStatusShown } from "./invocation-status.ts";
import type { KnownInvocation } from "./known-invocation.ts";

/** The actions that a session has asked for, newest first. */
export const InvocationList = ({
  invocations,
}: {
  readonly invocations: readonly KnownInvocation[];
}) =>
  invocations.length === 0 ? (
    <p className="muted">No actions yet.</p>
  ) : (
    <ul className="plain-list invocation-list">
      {invocations.map(({ id, integration, action, status, failure }) => (
        <li key={id}>
          <span className="invocation-name">
            {integration}
            <span className="muted"> / </span>
            {action}
          </span>
          <Badge tone={invocationStatusShown[status].tone}>
            {invocationStatusShown[status].label}
          </Badge>
          {failure && <p className="muted">{failure.message}</p>}
        </li>
      ))}
    </ul>
  );
