import { Link } from "react-router";
import type { RuleView } from "#contracts/policy/view";
import { Badge } from "../ui/badge.tsx";
import { ForeignText } from "../ui/foreign-text.tsx";
import { addressOf, type Connection, standingOf, waitsForPerson } from "./connection.ts";
import { switchOffRulesOf } from "./switch-off.ts";

interface ConnectionListProps {
  readonly connections: readonly Connection[];
  readonly rules: readonly RuleView[];
}

export const ConnectionList = ({ connections, rules }: ConnectionListProps) => (
  <ul className="plain-list connection-list" aria-label="Connectors">
    {connections.map((connection) => (
      <li key={connection.id}>
        <Row
          connection={connection}
          switchedOff={switchOffRulesOf(connection.id, rules).length > 0}
        />
      </li>
    ))}
  </ul>
);

interface RowProps {
  readonly connection: Connection;
  readonly switchedOff: boolean;
}

const Row = ({ connection, switchedOff }: RowProps) => {
  const { id, name, available } = connection;
  const { label, tone } = standingOf(connection, switchedOff);
  return (
    <article className="connection" aria-label={name}>
      <header className="connection-head">
        <h2>
          <Link to={`/connectors/${id}`}>{name}</Link> <span className="muted mono">{id}</span>
        </h2>
        <Badge tone={tone}>{label}</Badge>
      </header>
      <p className="muted breakable">{addressOf(connection)}</p>
      {available?.problem && !waitsForPerson(connection) && (
        <p className="connection-problem">
          <ForeignText text={available.problem.message} />
        </p>
      )}
      {available && !available.problem && <p className="muted">{offerText(available)}</p>}
    </article>
  );
};

const offerText = ({ actions, leftOut }: NonNullable<Connection["available"]>): string => {
  const drifted = actions.filter((action) => action.drifted).length;
  return [
    actions.length === 1 ? "1 action" : `${actions.length} actions`,
    ...(drifted > 0 ? [`${drifted} changed since they were allowed`] : []),
    ...(leftOut.length > 0 ? [`${leftOut.length} left out`] : []),
  ].join(" · ");
};
