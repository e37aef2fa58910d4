import { useRef } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { mayApprove, useUser } from "../app/identity.ts";
import { overrideOf } from "../connectors/action-text.ts";
import { ChangeSettingsForm } from "../connectors/change-settings-form.tsx";
import {
  addressOf,
  type Connection,
  standingOf,
  waitsForPerson,
} from "../connectors/connection.ts";
import { ConnectionControls } from "../connectors/connection-controls.tsx";
import { ConnectorChecks, VendorCheck } from "../connectors/connector-checks.tsx";
import { useConnections } from "../connectors/connector-queries.ts";
import { LeftOut } from "../connectors/left-out.tsx";
import { RiskForm } from "../connectors/risk-form.tsx";
import { switchOffRulesOf } from "../connectors/switch-off.ts";
import { ToolList } from "../connectors/tool-list.tsx";
import { VendorForm } from "../connectors/vendor-form.tsx";
import { usePolicy } from "../policy/policy-queries.ts";
import type { PolicyView } from "#contracts/policy/view";
import { Badge } from "../ui/badge.tsx";
import { LoadProblem } from "../ui/load-problem.tsx";
import { Loading } from "../ui/loading.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHeading } from "../ui/page-heading.tsx";
import { visibleText } from "../ui/visible-text.ts";
import { NotFoundPage } from "./not-found-page.tsx";

export const ConnectorPage = () => {
  const id = useParams()["integration"];
  const { connections, error, asking, reload } = useConnections();
  const policy = usePolicy();
  const connection = connections?.find((one) => one.id === id);
  const problem = error ?? policy.error;
  if (connection && policy.data) {
    // The key starts afresh for another connector: nothing that was typed for one may go to the other.
    return <OneConnection key={id} connection={connection} policy={policy.data} />;
  }
  if (problem) {
    const retry = () => {
      reload();
      void policy.refetch();
    };
    return <LoadProblem error={problem} onRetry={retry} />;
  }
  return connections && policy.data && !asking ? (
    <NotFoundPage />
  ) : (
    <Loading what="the connector" />
  );
};

interface OneConnectionProps {
  readonly connection: Connection;
  readonly policy: PolicyView;
}

const OneConnection = ({ connection, policy }: OneConnectionProps) => {
  const { id, name, available } = connection;
  const user = useUser();
  const navigate = useNavigate();
  const heading = useRef<HTMLHeadingElement>(null);
  const switchedOff = switchOffRulesOf(id, policy.rules).length > 0;
  const { label, tone } = standingOf(connection, switchedOff);
  return (
    <div className="page">
      <title>{`${name} · Proliferate`}</title>
      <header className="page-head connector-head">
        <Link className="back" to="/connectors" aria-label="All connectors">
          ←
        </Link>
        <PageHeading ref={heading}>{name}</PageHeading>
        <span role="status">
          <Badge tone={tone}>{label}</Badge>
        </span>
      </header>
      <p className="muted breakable">
        <span className="mono">{id}</span> · {addressOf(connection)}
      </p>
      {waitsForPerson(connection) ? (
        <Notice tone="warning">It can be used once somebody has authorized it.</Notice>
      ) : (
        available?.problem && (
          <Notice tone="danger">{visibleText(available.problem.message)}</Notice>
        )
      )}
      {mayApprove(user) && (
        <div className="button-row connector-controls">
          {connection.kind === "connector" && <ConnectorChecks connector={connection.connector} />}
          {connection.kind === "vendor" && <VendorCheck vendor={connection.vendor.vendor} />}
          <ConnectionControls
            connection={connection}
            rules={policy.rules}
            onSwitched={() => heading.current?.focus()}
            onRemoved={() => void navigate("/connectors", { state: { removed: name } })}
          />
        </div>
      )}
      {available === null && <Loading what="its actions" />}
      {available && available.actions.length > 0 && (
        <ToolList integration={available} policy={policy} />
      )}
      {available && <LeftOut leftOut={available.leftOut} />}
      {mayApprove(user) && (
        <RiskForm integration={id} present={overrideOf(policy.risks, id, null)} />
      )}
      {mayApprove(user) && connection.kind === "connector" && (
        <ChangeSettingsForm connector={connection.connector} />
      )}
      {mayApprove(user) && connection.kind === "vendor" && (
        <VendorForm
          title="Give a new token"
          vendors={connection.vendor.vendor}
          baseUrl={connection.vendor.baseUrl}
          onConnected={() => undefined}
        />
      )}
    </div>
  );
};
