import { useEffect, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { connectorIdSchema } from "#contracts/connector/events";
import { authorizationPage, returnedAuthorizationSchema } from "#contracts/http/connectors";
import { useFinishAuthorization } from "../connectors/connector-queries.ts";
import { Loading } from "../ui/loading.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHeading } from "../ui/page-heading.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";

/** Where people come back to from a connector's authorization server. */
export const ConnectorAuthorizationPage = () => {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  // Kept here, because the address is cleaned: what it brought belongs neither in the history nor on screen.
  const [returned] = useState(
    () => returnedAuthorizationSchema.safeParse(Object.fromEntries(search)).data ?? null,
  );
  const { data: connector, error } = useFinishAuthorization(returned);
  const asked = connectorIdSchema.safeParse(returned?.state.split(".", 1)[0]).data;
  useEffect(() => {
    if (search.size > 0) void navigate(authorizationPage, { replace: true });
  }, [navigate, search]);
  return (
    <div className="page page-narrow">
      <title>Authorization · Proliferate</title>
      <header className="page-head">
        <PageHeading>Authorization</PageHeading>
      </header>
      {returned === null && (
        <Notice tone="danger">Nothing has come back. Begin again on the connector’s page.</Notice>
      )}
      {returned !== null && !connector && !error && <Loading what="the authorization" />}
      <ProblemNotice error={error} />
      {connector !== undefined && (
        <Notice tone="success">{connector} is authorized. Sessions can use it from now on.</Notice>
      )}
      <p>
        <Link
          className="button button-secondary"
          to={asked ? `/connectors/${asked}` : "/connectors"}
        >
          {asked ? "Go to the connector" : "Go to the connectors"}
        </Link>
      </p>
    </div>
  );
};
