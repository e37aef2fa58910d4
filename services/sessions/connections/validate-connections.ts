/** Tries the connections that a session is to have, before it is created. */
import { DomainError } from "#contracts/errors";
import type { OrganizationId } from "#contracts/ids";
import type { ExcludedConnection, ValidatedConnections } from "#contracts/session/connections";
import type { Log } from "#event-store/log";
import type { ActionRegistry } from "../../actions/sources/registry.ts";
import type { ActionSource } from "../../actions/sources/source.ts";
import { sourceProblem } from "../../actions/sources/source-problem.ts";
import { unlessAborted } from "../../unless-aborted.ts";

export interface ValidateConnectionsDeps {
  readonly registry: ActionRegistry;
  readonly log: Pick<Log, "warn">;
  /** For all connections together, in milliseconds; 5 s unless told: somebody waits for the session. */
  readonly connectionsMs?: number;
}

const longestMessage = 500;

/**
 * All are tried at once, and none is waited for long. One that cannot be used does not keep the session from
 * being created: it is left out, with the reason.
 */
export const validateConnections = async (
  { registry, log, connectionsMs = 5_000 }: ValidateConnectionsDeps,
  organization: OrganizationId,
  named: readonly string[],
): Promise<ValidatedConnections> => {
  const connections = [...new Set(named)];
  if (connections.length === 0) return { usable: [], excluded: [] };
  const sources = await registry.sourcesOf(organization);
  const patience = AbortSignal.timeout(connectionsMs);
  const excluded = await Promise.all(
    connections.map(async (connection): Promise<ExcludedConnection | null> => {
      try {
        const source = sources.find(({ id }) => id === connection);
        await unlessAborted(use(source), patience);
        return null;
      } catch (error) {
        log.warn({ err: error, organization, connection }, "a connection cannot be used");
        const { code, message } = sourceProblem(error, patience.aborted);
        return { connection, code, message: message.slice(0, longestMessage) };
      }
    }),
  );
  return {
    usable: connections.filter((_, index) => excluded[index] === null),
    excluded: excluded.filter((problem) => problem !== null),
  };
};

const use = async (source: ActionSource | undefined): Promise<void> => {
  if (!source) {
    throw new DomainError("integration_not_found", "The organisation has no such connection.");
  }
  await source.check?.();
  await source.list();
};
