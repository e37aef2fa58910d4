import type { ConnectorView } from "#contracts/http/connectors";
import type { VendorId } from "#contracts/integration/events";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { visibleText } from "../ui/visible-text.ts";
import { useAuthorizeConnector, useTestConnector, useTestVendor } from "./connector-queries.ts";

/** Lets a person authorize a connector, and find out whether it works. */
export const ConnectorChecks = ({ connector }: { readonly connector: ConnectorView }) => {
  const authorize = useAuthorizeConnector(connector.connector);
  const test = useTestConnector(connector.connector);
  const { target, authorized } = connector;
  const byPerson = target.kind === "mcp" && target.auth === "oauth";
  const error = authorize.error ?? test.error;
  return (
    <>
      {byPerson && (
        <Button
          kind={authorized ? "secondary" : "primary"}
          busy={authorize.isPending}
          onClick={() => authorize.mutate()}
        >
          {authorized ? "Authorize again" : "Authorize"}
        </Button>
      )}
      <Button busy={test.isPending} onClick={() => test.mutate()}>
        Test it
      </Button>
      <ProblemNotice error={error} />
      {test.data && !test.isPending && <TestResult {...test.data} />}
    </>
  );
};

const TestResult = ({
  problem,
  actions,
}: NonNullable<ReturnType<typeof useTestConnector>["data"]>) =>
  problem ? (
    <Notice tone="danger">{visibleText(problem.message)}</Notice>
  ) : (
    <Notice tone="success">
      It works, and offers {actions.length} {actions.length === 1 ? "action" : "actions"}.
    </Notice>
  );

/** Lets a person find out whether a vendor takes the organisation's token. */
export const VendorCheck = ({ vendor }: { readonly vendor: VendorId }) => {
  const test = useTestVendor(vendor);
  const { data } = test;
  return (
    <>
      <Button busy={test.isPending} onClick={() => test.mutate()}>
        Test it
      </Button>
      <ProblemNotice error={test.error} />
      {data?.problem && !test.isPending && (
        <Notice tone="danger">{visibleText(data.problem.message)}</Notice>
      )}
      {data?.problem === null && !test.isPending && (
        <Notice tone="success">It takes the token.</Notice>
      )}
    </>
  );
};
