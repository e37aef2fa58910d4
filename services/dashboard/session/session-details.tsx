import type { SessionStatus, SessionView } from "#contracts/session/view";
import { InvocationList } from "../approvals/invocation-list.tsx";
import { TimeAgo } from "../ui/time.tsx";
import { BootStages } from "./boot-progress.tsx";
import { ServicesTrial } from "./services-trial.tsx";
import type { SessionState } from "./session-state.ts";
import { isBooting } from "./session-status.ts";

interface SessionDetailsProps {
  readonly id: string;
  readonly session: SessionView;
  readonly status: SessionStatus;
  readonly state: SessionState;
}

/** What there is to know about a session besides what was said. */
export const SessionDetails = ({ id, session, status, state }: SessionDetailsProps) => (
  <aside className="details" id={id} aria-label="Details">
    <section>
      <h2>Session</h2>
      <dl>
        <dt>Repository</dt>
        <dd className="breakable">
          {session.repository ? `${session.repository.url} @ ${session.repository.ref}` : "None"}
        </dd>
        <dt>Model</dt>
        <dd>{session.model}</dd>
        <dt>Started by</dt>
        <dd>{session.origin.kind === "user" ? "A person" : "An automation"}</dd>
        <dt>Connections</dt>
        <dd className="breakable">{connectionsText(session.connections)}</dd>
        <dt>Created</dt>
        <dd>
          <TimeAgo at={session.createdAt} />
        </dd>
        <dt>Id</dt>
        <dd className="breakable mono">{session.id}</dd>
      </dl>
    </section>
    <section>
      <h2>Actions</h2>
      <InvocationList invocations={state.invocations} />
    </section>
    {status === "running" && <ServicesTrial sessionId={session.id} trial={state.serviceTrial} />}
    {state.bootStages.length > 0 && !isBooting(status) && (
      <section>
        <h2>Last start</h2>
        <BootStages stages={state.bootStages} />
      </section>
    )}
  </aside>
);

const connectionsText = (connections: SessionView["connections"]): string => {
  if (connections === null) return "All of the organisation's";
  return connections.length === 0 ? "None" : connections.join(", ");
};
