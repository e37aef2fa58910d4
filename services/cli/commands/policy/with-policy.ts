/** What the commands of `policy` work on: one organisation's policy, and all that it decides about. */
import type { OrganizationId } from "#contracts/ids";
import type { PolicyView } from "#contracts/policy/view";
import { newCommandMeta } from "#event-store/command-meta";
import { namesOf } from "../../../identity/names-of.ts";
import { openIntegrations } from "../../../integrations/open-integrations.ts";
import { createRuleBudgets, type RuleBudgets } from "../../../policy/budgets/budgets.ts";
import { loadPolicy } from "../../../policy/commands.ts";
import type { Changing, PolicyChangesDeps } from "../../../policy/policy-changes.ts";
import { viewOf } from "../../../policy/view.ts";
import { type CliContext, requireKeys, withLogAndDatabase } from "../../context.ts";
import { requireKnownOrganization } from "../../known-organization.ts";
import { operator } from "../../operator.ts";

export interface OpenedPolicy {
  readonly deps: PolicyChangesDeps & { readonly budgets: RuleBudgets };
  readonly organization: OrganizationId;
  /** A change that somebody wants. */
  changing(by: string): Changing;
  view(): Promise<PolicyView>;
}

/**
 * Opens the integrations as well, because whoever lets an action run has to have looked at it. Nothing is
 * asked of them before that.
 *
 * @throws DomainError `not_found` for an organisation that the log does not know
 */
export const withPolicy = (
  context: CliContext,
  named: string,
  work: (policy: OpenedPolicy) => Promise<void>,
): Promise<void> =>
  withLogAndDatabase(context, async ({ store, sql }) => {
    const { config } = context;
    const keys = await requireKeys(context);
    const organization = await requireKnownOrganization(store, named);
    const home = { store, sql, keys, config, instance: `cli-${process.pid}` };
    const integrations = await openIntegrations(home, config.CONNECTORS ?? []);
    try {
      const budgets = createRuleBudgets(store);
      const { registry } = integrations;
      await work({
        deps: { store, registry, budgets, clock: () => new Date() },
        organization,
        changing: (by) => ({ organization, by, meta: newCommandMeta({ actor: operator(by) }) }),
        view: async () =>
          viewOf(await loadPolicy(store, organization), organization, {
            budgets,
            namesOf: (of, ids) => namesOf(sql, of, ids),
          }),
      });
    } finally {
      await integrations.stop();
    }
  });
