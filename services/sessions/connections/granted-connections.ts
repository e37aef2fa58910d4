import { DomainError } from "#contracts/errors";
import type { ExistingSession } from "../aggregate/state.ts";

/** Whether the session may use an integration or connector of its organisation. */
export const hasConnection = (
  { connections }: Pick<ExistingSession, "connections">,
  connection: string,
): boolean => connections === null || connections.includes(connection);

/** @throws DomainError `connection_not_granted` */
export const requireConnection = (session: ExistingSession, connection: string): void => {
  if (hasConnection(session, connection)) return;
  throw new DomainError(
    "connection_not_granted",
    `This session was created without the connection "${connection}".`,
    { fields: { connection, granted: session.connections } },
  );
};
