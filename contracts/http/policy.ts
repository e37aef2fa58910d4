import { z } from "zod";
import { idSchema } from "../ids.ts";
import { actionModeSchema, riskLevelSchema } from "../policy/mode.ts";
import { policyRuleSchema } from "../policy/rules.ts";
import { dryRunSchema, policyViewSchema } from "../policy/view.ts";
import { acceptedSchema } from "./common.ts";
import { defineRoute } from "./route.ts";

const name = z.string().min(1).max(100);

export const getPolicy = defineRoute({
  method: "GET",
  path: "/v1/policy",
  audience: "user",
  summary: "What the organisation has decided about actions: modes, risks and rules",
  responses: { 200: policyViewSchema },
});

export const setAutomationMode = defineRoute({
  method: "PUT",
  path: "/v1/policy/automations/:triggerId/actions/:integration/:action",
  audience: "approver",
  summary:
    "Set what happens to an action in an automation's sessions; null follows the organisation",
  params: z.object({ triggerId: idSchema("trigger"), integration: name, action: name }),
  body: z.object({ mode: actionModeSchema.nullable() }),
  responses: { 202: acceptedSchema },
});

export const clearAutomationMode = defineRoute({
  method: "DELETE",
  path: "/v1/policy/automations/:triggerId/actions/:integration/:action",
  audience: "approver",
  summary: "Take an automation's own mode for an action back: its sessions follow the organisation",
  params: setAutomationMode.params,
  responses: { 202: acceptedSchema },
});

export const overrideRisk = defineRoute({
  method: "PUT",
  path: "/v1/policy/risks/:integration",
  audience: "approver",
  summary:
    "Say how far an integration, or one action of it, reaches; null believes the integration",
  params: z.object({ integration: name }),
  body: z.object({ action: name.nullable().default(null), risk: riskLevelSchema.nullable() }),
  responses: { 202: acceptedSchema },
});

/** What may be left out of a rule: it then holds everywhere, always and without a limit. */
const ruleBody = policyRuleSchema.extend({
  scope: policyRuleSchema.shape.scope.default({ kind: "organization" }),
  conditions: policyRuleSchema.shape.conditions.default([]),
  expiresAt: policyRuleSchema.shape.expiresAt.default(null),
  budget: policyRuleSchema.shape.budget.default(null),
  note: policyRuleSchema.shape.note.default(""),
});

const ruleSet = acceptedSchema.extend({ ruleId: idSchema("rule") });
const ruleParams = z.object({ ruleId: idSchema("rule") });

export const createRule = defineRoute({
  method: "POST",
  path: "/v1/policy/rules",
  audience: "approver",
  summary: "Add a rule",
  body: ruleBody,
  responses: { 202: ruleSet },
});

export const replaceRule = defineRoute({
  method: "PUT",
  path: "/v1/policy/rules/:ruleId",
  audience: "approver",
  summary: "Change a rule; the calls that it has allowed stay counted",
  params: ruleParams,
  body: ruleBody,
  responses: { 202: ruleSet },
});

export const removeRule = defineRoute({
  method: "DELETE",
  path: "/v1/policy/rules/:ruleId",
  audience: "approver",
  summary: "Take a rule back",
  params: ruleParams,
  responses: { 202: acceptedSchema },
});

export const setFullResultKeeping = defineRoute({
  method: "PUT",
  path: "/v1/policy/full-results",
  audience: "approver",
  summary: "Say whether results that are too long for the log are kept whole for seven days",
  body: z.object({ keep: z.boolean() }),
  responses: { 202: acceptedSchema },
});

export const dryRunPolicy = defineRoute({
  method: "POST",
  path: "/v1/policy/dry-run",
  audience: "user",
  summary: "What would happen to an action, and which rule decides; nothing is done",
  body: z.object({
    /** Whose rules count as well; null for those of the organisation alone. */
    sessionId: idSchema("session").nullable().default(null),
    integration: name,
    action: name,
    params: z.record(z.string(), z.unknown()).default({}),
  }),
  responses: { 200: dryRunSchema },
});
