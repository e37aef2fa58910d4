import { clearActionMode, setActionMode as setActionModeRoute } from "#contracts/http/actions";
import {
  clearAutomationMode,
  createRule,
  dryRunPolicy,
  getPolicy,
  overrideRisk,
  removeRule,
  replaceRule,
  setAutomationMode,
  setFullResultKeeping,
} from "#contracts/http/policy";
import { newId, type OrganizationId, type RuleId } from "#contracts/ids";
import type { PolicyCommand } from "#contracts/policy/commands";
import type { PolicyRule } from "#contracts/policy/rules";
import type { Position } from "#contracts/position";
import type { EventStore } from "#event-store/event-store";
import type { ActionRegistry } from "../actions/sources/registry.ts";
import { handleRoute, type RouteHandler } from "../gateway/handle-route.ts";
import type { Principal } from "../gateway/principal.ts";
import { type CommandingRequest, metaOf } from "../gateway/request-meta.ts";
import { changePolicy, loadPolicy, requireRule } from "./commands.ts";
import { askPolicy, spentRules } from "./ask-policy.ts";
import { dryRun } from "./dry-run.ts";
import { reviewedDefinitionHash } from "./reviewed-definition.ts";
import { type PolicyViewDeps, viewOf } from "./view.ts";

export interface PolicyRoutesDeps extends PolicyViewDeps {
  readonly store: EventStore;
  readonly registry: ActionRegistry;
  readonly clock: () => Date;
}

interface Requested extends CommandingRequest {
  readonly principal: Extract<Principal, { kind: "user" }>;
}

export const policyRoutes = (deps: PolicyRoutesDeps): readonly RouteHandler[] => [
  ...queryRoutes(deps),
  ...modeRoutes(deps),
  ...ruleRoutes(deps),
];

const change = (
  { store }: PolicyRoutesDeps,
  request: Requested,
  command: PolicyCommand,
): Promise<Position> =>
  changePolicy(store, request.principal.organizationId, command, metaOf(request));

const queryRoutes = (deps: PolicyRoutesDeps): readonly RouteHandler[] => [
  handleRoute(getPolicy, async ({ principal: { organizationId: organization } }) => {
    const policy = await loadPolicy(deps.store, organization);
    return { status: 200, body: await viewOf(policy, organization, deps) };
  }),
  handleRoute(dryRunPolicy, async ({ body, principal: { organizationId: organization } }) => {
    const { policy, asked } = await askPolicy(deps, { organization, ...body });
    const spent = await spentRules(deps.budgets, organization, policy, asked);
    return { status: 200, body: dryRun(policy, asked, spent) };
  }),
];

/** Whose decision it is, and when. */
const authorOf = ({ clock }: PolicyRoutesDeps, { principal }: Requested) => ({
  by: principal.userId,
  at: clock().toISOString(),
});

const modeRoutes = (deps: PolicyRoutesDeps): readonly RouteHandler[] => [
  handleRoute(setActionModeRoute, async (request) => {
    const set = { ...request.params, mode: request.body.mode };
    const definitionHash = await hashOf(deps, request.principal.organizationId, set);
    const author = authorOf(deps, request);
    const command = { type: "SetActionMode", ...set, ...author, definitionHash } as const;
    return { status: 202, body: { position: await change(deps, request, command) } };
  }),
  handleRoute(setAutomationMode, async (request) => {
    const set = { ...request.params, mode: request.body.mode };
    const definitionHash = await hashOf(deps, request.principal.organizationId, set);
    const author = authorOf(deps, request);
    const command = { type: "SetAutomationMode", ...set, ...author, definitionHash } as const;
    return { status: 202, body: { position: await change(deps, request, command) } };
  }),
  handleRoute(clearActionMode, async (request) => {
    const command = { type: "ClearActionMode", ...request.params } as const;
    return { status: 202, body: { position: await change(deps, request, command) } };
  }),
  handleRoute(clearAutomationMode, async (request) => {
    const followed = { ...request.params, mode: null, definitionHash: null };
    const author = authorOf(deps, request);
    const command = { type: "SetAutomationMode", ...followed, ...author } as const;
    return { status: 202, body: { position: await change(deps, request, command) } };
  }),
  handleRoute(overrideRisk, async (request) => {
    const overridden = { ...request.params, ...request.body, ...authorOf(deps, request) };
    const command = { type: "OverrideRisk", ...overridden } as const;
    return { status: 202, body: { position: await change(deps, request, command) } };
  }),
  handleRoute(setFullResultKeeping, async (request) => {
    const command = { type: "SetFullResultKeeping", ...request.body } as const;
    return { status: 202, body: { position: await change(deps, request, command) } };
  }),
];

const hashOf = (
  { registry }: PolicyRoutesDeps,
  organization: OrganizationId,
  set: Parameters<typeof reviewedDefinitionHash>[2],
): Promise<string | null> => reviewedDefinitionHash(registry, organization, set);

const ruleRoutes = (deps: PolicyRoutesDeps): readonly RouteHandler[] => {
  const setRule = async (
    request: Requested,
    ruleId: RuleId,
    { expiresAt, ...rest }: PolicyRule,
  ): Promise<{ ruleId: RuleId; position: Position }> => {
    // One form of instant, so that they sort as text.
    const rule = { ...rest, expiresAt: expiresAt && new Date(expiresAt).toISOString() };
    const definitionHash = await hashOf(deps, request.principal.organizationId, rule);
    const author = authorOf(deps, request);
    const command = { type: "SetRule", ruleId, rule, ...author, definitionHash } as const;
    return { ruleId, position: await change(deps, request, command) };
  };
  const requireKnown = async (request: Requested, ruleId: RuleId): Promise<void> =>
    requireRule(await loadPolicy(deps.store, request.principal.organizationId), ruleId);
  return [
    handleRoute(createRule, async (request) => ({
      status: 202,
      body: await setRule(request, newId("rule"), request.body),
    })),
    handleRoute(replaceRule, async (request) => {
      const { ruleId } = request.params;
      await requireKnown(request, ruleId);
      return { status: 202, body: await setRule(request, ruleId, request.body) };
    }),
    handleRoute(removeRule, async (request) => {
      const { ruleId } = request.params;
      await requireKnown(request, ruleId);
      const position = await change(deps, request, { type: "RemoveRule", ruleId });
      return { status: 202, body: { position } };
    }),
  ];
};
