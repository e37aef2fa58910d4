import { z } from "zod";
import { idSchema } from "../ids.ts";
import { modeSourceSchema } from "../invocation/events.ts";
import { actionModeSchema, riskLevelSchema } from "./mode.ts";
import { policyRuleSchema } from "./rules.ts";

export const ruleViewSchema = policyRuleSchema.extend({
  id: idSchema("rule"),
  /** Who set it last, and when. */
  by: z.string(),
  /** As it is now; null where the organisation has nobody of this id any more. */
  byName: z.string().nullable(),
  at: z.iso.datetime(),
  /** How many calls it has allowed; null for a rule without a budget. */
  spent: z.int().nonnegative().nullable(),
});
export type RuleView = z.infer<typeof ruleViewSchema>;

const named = { integration: z.string(), action: z.string() };

/** Who decided so, and when; null for what was decided before that was kept. */
const author = {
  by: z.string().nullable(),
  /** As it is now; null, too, where the organisation has nobody of this id any more. */
  byName: z.string().nullable(),
  at: z.iso.datetime().nullable(),
};
export type AuthorView = Pick<PolicyView["modes"][number], keyof typeof author>;

/** Everything that an organisation has decided about actions. */
export const policyViewSchema = z.object({
  modes: z.array(z.object({ ...named, mode: actionModeSchema, ...author })),
  automationModes: z.array(
    z.object({ triggerId: idSchema("trigger"), ...named, mode: actionModeSchema, ...author }),
  ),
  risks: z.array(
    z.object({
      integration: z.string(),
      /** Null for the whole integration. */
      action: z.string().nullable(),
      risk: riskLevelSchema,
      ...author,
    }),
  ),
  rules: z.array(ruleViewSchema),
  keepsFullResults: z.boolean(),
});
export type PolicyView = z.infer<typeof policyViewSchema>;

/** What became of a rule when an action was decided on. */
export const ruleFindingSchema = z.object({
  ruleId: idSchema("rule"),
  finding: z.enum([
    "decides",
    "outranked",
    "other_action",
    "other_scope",
    "expired",
    "condition_not_met",
    "budget_spent",
  ]),
});
export type RuleFinding = z.infer<typeof ruleFindingSchema>;

/** What would happen to an action, and why; nothing has been done, recorded or spent. */
export const dryRunSchema = z.object({
  mode: actionModeSchema,
  source: modeSourceSchema,
  ruleId: idSchema("rule").nullable(),
  drifted: z.boolean(),
  /** One sentence for people. */
  because: z.string(),
  /** Every rule of the organisation, in the order in which they were set. */
  rules: z.array(ruleFindingSchema),
});
export type DryRun = z.infer<typeof dryRunSchema>;
