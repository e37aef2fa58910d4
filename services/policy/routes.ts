import {
  clearActionMode as clearActionModeRoute,
  setActionMode as setActionModeRoute,
} from "#contracts/http/actions";
import {
  clearAutomationMode,
  createRule,
  dryRunPolicy,
  getPolicy,
  overrideRisk as overrideRiskRoute,
  removeRule as removeRuleRoute,
  replaceRule,
  setAutomationMode as setAutomationModeRoute,
  setFullResultKeeping,
} from "#contracts/http/policy";
import { newId } from "#contracts/ids";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import type { Principal } from "../gateway/authentication/principal.ts";
import { type CommandingRequest, metaOf } from "../gateway/requests/request-meta.ts";
import { askPolicy, spentRules } from "./deciding/ask-policy.ts";
import { changePolicy, loadPolicy, requireRule } from "./commands.ts";
import { dryRun } from "./deciding/dry-run.ts";
import {
  type Changing,
  clearActionMode,
  overrideRisk,
  type PolicyChangesDeps,
  removeRule,
  setActionMode,
  setAutomationMode,
  setRule,
} from "./policy-changes.ts";
import { type PolicyViewDeps, viewOf } from "./view.ts";

export type PolicyRoutesDeps = PolicyViewDeps & PolicyChangesDeps;

interface Requested extends CommandingRequest {
  readonly principal: Extract<Principal, { kind: "user" }>;
}

const changing = (request: Requested): Changing => ({
  organization: request.principal.organizationId,
  by: request.principal.userId,
  meta: metaOf(request),
});

export const policyRoutes = (deps: PolicyRoutesDeps): readonly RouteHandler[] => [
  ...queryRoutes(deps),
  ...modeRoutes(deps),
  ...ruleRoutes(deps),
];

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

const modeRoutes = (deps: PolicyRoutesDeps): readonly RouteHandler[] => [
  handleRoute(setActionModeRoute, async (request) => {
    const set = { ...request.params, mode: request.body.mode };
    const { position } = await setActionMode(deps, changing(request), set);
    return { status: 202, body: { position } };
  }),
  handleRoute(setAutomationModeRoute, async (request) => {
    const set = { ...request.params, mode: request.body.mode };
    const { position } = await setAutomationMode(deps, changing(request), set);
    return { status: 202, body: { position } };
  }),
  handleRoute(clearActionModeRoute, async (request) => {
    const position = await clearActionMode(deps, changing(request), request.params);
    return { status: 202, body: { position } };
  }),
  handleRoute(clearAutomationMode, async (request) => {
    const followed = { ...request.params, mode: null };
    const { position } = await setAutomationMode(deps, changing(request), followed);
    return { status: 202, body: { position } };
  }),
  handleRoute(overrideRiskRoute, async (request) => {
    const set = { ...request.params, ...request.body };
    return { status: 202, body: { position: await overrideRisk(deps, changing(request), set) } };
  }),
  handleRoute(setFullResultKeeping, async (request) => {
    const { organization, meta } = changing(request);
    const command = { type: "SetFullResultKeeping", ...request.body } as const;
    const position = await changePolicy(deps.store, organization, command, meta);
    return { status: 202, body: { position } };
  }),
];

const ruleRoutes = (deps: PolicyRoutesDeps): readonly RouteHandler[] => [
  handleRoute(createRule, async (request) => {
    const ruleId = newId("rule");
    const { position } = await setRule(deps, changing(request), { ruleId, rule: request.body });
    return { status: 202, body: { ruleId, position } };
  }),
  handleRoute(replaceRule, async (request) => {
    const { ruleId } = request.params;
    requireRule(await loadPolicy(deps.store, request.principal.organizationId), ruleId);
    const { position } = await setRule(deps, changing(request), { ruleId, rule: request.body });
    return { status: 202, body: { ruleId, position } };
  }),
  handleRoute(removeRuleRoute, async (request) => {
    const position = await removeRule(deps, changing(request), request.params.ruleId);
    return { status: 202, body: { position } };
  }),
];
