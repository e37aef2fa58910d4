import { useConnections } from "../connectors/connector-queries.ts";
import { type Connection, standingOf } from "../connectors/connection.ts";
import { switchOffRulesOf } from "../connectors/switch-off.ts";
import { usePolicy } from "../policy/policy-queries.ts";
import { Badge } from "../ui/badge.tsx";
import { Choice } from "../ui/choice.tsx";
import { ForeignText } from "../ui/foreign-text.tsx";
import { LoadProblem } from "../ui/load-problem.tsx";
import { Loading } from "../ui/loading.tsx";

interface ConnectionChoiceProps {
  /** The ids of those that the session may use; null for all, those to come too. */
  readonly chosen: readonly string[] | null;
  readonly onChoose: (chosen: readonly string[] | null) => void;
}

/** Which of the organisation's connections a new session may use. */
export const ConnectionChoice = ({ chosen, onChoose }: ConnectionChoiceProps) => (
  <fieldset className="choices">
    <legend>Connections</legend>
    <Choice
      type="radio"
      name="connections"
      label="All of the organisation’s, those to come too"
      checked={chosen === null}
      onChange={() => onChoose(null)}
    />
    <Choice
      type="radio"
      name="connections"
      label="Only some"
      checked={chosen !== null}
      onChange={() => onChoose(chosen ?? [])}
    />
    {chosen !== null && <NamedConnections chosen={chosen} onChoose={onChoose} />}
  </fieldset>
);

interface NamedConnectionsProps extends ConnectionChoiceProps {
  readonly chosen: readonly string[];
}

const NamedConnections = ({ chosen, onChoose }: NamedConnectionsProps) => {
  const { connections, error, asking, reload } = useConnections();
  const rules = usePolicy().data?.rules ?? [];
  return (
    <div className="choices-below" role="group" aria-label="Connections that it may use">
      {error && <LoadProblem error={error} onRetry={reload} />}
      {connections?.map((connection) => (
        <Choice
          key={connection.id}
          type="checkbox"
          label={<ForeignText text={connection.name} />}
          checked={chosen.includes(connection.id)}
          onChange={(checked) =>
            onChoose(
              checked
                ? [...chosen, connection.id]
                : chosen.filter((other) => other !== connection.id),
            )
          }
        >
          <Standing
            connection={connection}
            switchedOff={switchOffRulesOf(connection.id, rules).length > 0}
          />
        </Choice>
      ))}
      {asking && <Loading what="what the connections offer" />}
      <p className="hint" role="status">
        {chosen.length === 0
          ? "None is chosen: the agent acts on nothing outside its sandbox."
          : "Each is tried first. One that cannot be used is left out, and the session’s page says why."}
      </p>
    </div>
  );
};

interface StandingProps {
  readonly connection: Connection;
  readonly switchedOff: boolean;
}

const Standing = ({ connection, switchedOff }: StandingProps) => {
  const { label, tone } = standingOf(connection, switchedOff);
  return <Badge tone={tone}>{label}</Badge>;
};
