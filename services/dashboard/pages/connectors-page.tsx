import { useLocation, useNavigate } from "react-router";
import { z } from "zod";
import { mayApprove, useUser } from "../app/identity.ts";
import { AddConnectorForm } from "../connectors/add-connector-form.tsx";
import { ConnectionList } from "../connectors/connection-list.tsx";
import { useConnections } from "../connectors/connector-queries.ts";
import { VendorForm } from "../connectors/vendor-form.tsx";
import { usePolicy } from "../policy/policy-queries.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { LoadProblem } from "../ui/load-problem.tsx";
import { Loading } from "../ui/loading.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHeading } from "../ui/page-heading.tsx";

/** Everything that agents can act through, and what can be added. */
export const ConnectorsPage = () => {
  const { connections, vendors, error, asking, reload } = useConnections();
  const policy = usePolicy();
  const navigate = useNavigate();
  const user = useUser();
  const { data: left } = leftSchema.safeParse(useLocation().state);
  return (
    <div className="page">
      <title>Connectors · Proliferate</title>
      <header className="page-head">
        <PageHeading>Connectors</PageHeading>
        <Button busy={asking} onClick={reload}>
          Look again
        </Button>
      </header>
      {left && <Notice tone="success">{left.removed} was removed.</Notice>}
      {error && <LoadProblem error={error} onRetry={reload} />}
      {!connections && !error && <Loading what="the connectors" />}
      {connections?.length === 0 && !asking && (
        <EmptyState title="No connectors yet">
          <p>Agents can do nothing outside their sandboxes before something is connected.</p>
        </EmptyState>
      )}
      {connections && connections.length > 0 && (
        <ConnectionList connections={connections} rules={policy.data?.rules ?? []} />
      )}
      {mayApprove(user) && <AddConnectorForm />}
      {mayApprove(user) && vendors.length > 0 && (
        <VendorForm
          title="Connect a service"
          vendors={vendors}
          onConnected={(vendor) => void navigate(`/connectors/${vendor}`)}
        />
      )}
    </div>
  );
};

/** What a connector's page leaves behind when the connector is gone. */
const leftSchema = z.object({ removed: z.string() });
