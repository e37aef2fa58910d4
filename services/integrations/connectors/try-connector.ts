import type { ActionDefinition, LeftOutAction } from "#contracts/actions/definition";
import { openConnector, type OpenConnectorDeps } from "./open-connector.ts";

export interface Offered {
  readonly actions: readonly ActionDefinition[];
  readonly leftOut: readonly LeftOutAction[];
}

/**
 * Connects now, by a source of its own, which remembers no list: what it offers.
 *
 * @throws DomainError as `ActionSource.list`, when it cannot be used
 */
export const tryConnector = async (
  deps: OpenConnectorDeps,
  known: Parameters<typeof openConnector>[1],
): Promise<Offered> => {
  const source = openConnector(deps, known);
  await source.check?.();
  return { actions: await source.list(), leftOut: (await source.leftOut?.()) ?? [] };
};
