import type { ConnectorView } from "#contracts/http/connectors";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { visibleText } from "../ui/visible-text.ts";
import { useAuthorizeConnector, useTestConnector } from "./connector-queries.ts";

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
