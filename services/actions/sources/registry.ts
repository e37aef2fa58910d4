/** The action sources of each organisation. */
import type { ActionDefinition } from "#contracts/actions/definition";
import { DomainError } from "#contracts/errors";
import type { OrganizationId } from "#contracts/ids";
import type { ActionSource } from "./source.ts";

/** Asynchronous, so that connectors which people configure can stand behind it. */
export interface ActionRegistry {
  sourcesOf(organization: OrganizationId): Promise<readonly ActionSource[]>;
}

/** The integration of that name. Throws `integration_not_found`. */
export const requireSource = async (
  registry: ActionRegistry,
  organization: OrganizationId,
  integration: string,
): Promise<ActionSource> => {
  const sources = await registry.sourcesOf(organization);
  const source = sources.find(({ id }) => id === integration);
  if (!source) {
    throw new DomainError("integration_not_found", `There is no integration "${integration}".`, {
      fields: { integration, available: sources.map(({ id }) => id) },
    });
  }
  return source;
};

/** The action of that name as the source defines it now. Throws `action_not_found`. */
export const requireAction = async (
  source: ActionSource,
  action: string,
): Promise<ActionDefinition> => {
  const definition = (await source.list()).find(({ id }) => id === action);
  if (!definition) {
    throw new DomainError("action_not_found", `"${source.id}" has no action "${action}".`, {
      fields: { integration: source.id, action },
    });
  }
  return definition;
};
