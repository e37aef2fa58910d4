import { Badge, type Tone } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { problemText } from "../ui/problem-text.ts";
import { visibleText } from "../ui/visible-text.ts";
import type { SessionId } from "#contracts/ids";
import type { TriedService } from "#contracts/session/service-trial";
import type { ServiceTrial } from "./service-trial.ts";
import { useRunServices } from "./session-queries.ts";

const shown: Readonly<
  Record<TriedService["status"], { readonly label: string; readonly tone: Tone }>
> = {
  running: { label: "Running", tone: "success" },
  ended: { label: "Ended", tone: "neutral" },
  failed: { label: "Failed", tone: "danger" },
};

interface ServicesTrialProps {
  readonly sessionId: SessionId;
  /** The latest one that this page was told of. */
  readonly trial: ServiceTrial | null;
}

/** Starts the session's services afresh, and shows what they print. */
export const ServicesTrial = ({ sessionId, trial }: ServicesTrialProps) => {
  const run = useRunServices(sessionId);
  const underWay = trial !== null && !trial.over;
  return (
    <section aria-label="Services">
      <h2>Services</h2>
      <Button busy={run.isPending || underWay} onClick={() => run.mutate()}>
        {underWay ? "Trying the services" : "Try the services"}
      </Button>
      {run.error && <Notice tone="danger">{problemText(run.error)}</Notice>}
      {trial?.failure && <Notice tone="danger">{trial.failure.message}</Notice>}
      {trial?.services.map((service) => (
        <details className="tool" key={service.name}>
          <summary>
            <span className="tool-name">{service.name}</span>
            <span className="tool-summary">
              {service.exitCode !== null && `exit code ${service.exitCode}`}
            </span>
            <Badge tone={shown[service.status].tone}>{shown[service.status].label}</Badge>
          </summary>
          <div className="tool-body">
            {service.detail !== null && <p>{service.detail}</p>}
            <pre className="code" tabIndex={0} aria-label={`What ${service.name} prints`}>
              {service.lines.map(visibleText).join("\n")}
            </pre>
            {service.truncated && <p className="muted">Only a part of the output is shown.</p>}
          </div>
        </details>
      ))}
    </section>
  );
};
