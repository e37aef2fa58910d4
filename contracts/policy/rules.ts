/**
 * Rules of a policy, as data. The language is small on purpose: each condition is decided in time that
 * grows with the length of its own text and the value's, so no rule can hold up the gateway.
 */
import { z } from "zod";
import { idSchema } from "../ids.ts";
import { actionModeSchema } from "./mode.ts";

/** Stands for every integration, or every action of one. */
export const anyName = "*";

/** The most rules of an organisation, and the most calls that one rule may allow. */
export const maxRules = 1_000;
export const maxRuleBudget = 1_000;

/** Where in the parameters to look: names joined by dots, such as `issue.team`. */
const path = z.string().min(1).max(200);
const plainValue = z.union([z.string().max(500), z.number(), z.boolean()]);

export const conditionSchema = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("equals"), path, value: plainValue }),
  z.strictObject({ op: z.literal("in"), path, values: z.array(plainValue).max(100) }),
  /** `*` stands for any characters, `?` for one; everything else for itself. */
  z.strictObject({ op: z.literal("matches"), path, glob: z.string().min(1).max(200) }),
  /** Both ends belong to the range; null leaves an end open. */
  z.strictObject({
    op: z.literal("between"),
    path,
    min: z.number().nullable(),
    max: z.number().nullable(),
  }),
]);
export type Condition = z.infer<typeof conditionSchema>;

export const ruleScopeSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("organization") }),
  z.strictObject({ kind: z.literal("automation"), triggerId: idSchema("trigger") }),
  z.strictObject({ kind: z.literal("session"), sessionId: idSchema("session") }),
]);
export type RuleScope = z.infer<typeof ruleScopeSchema>;

const name = z.string().min(1).max(100);

export const policyRuleSchema = z.strictObject({
  /** `*` for any. */
  integration: name,
  /** `*` for any. */
  action: name,
  mode: actionModeSchema,
  scope: ruleScopeSchema,
  /** All of them must hold. */
  conditions: z.array(conditionSchema).max(10),
  /** When the rule ends; null for never. */
  expiresAt: z.iso.datetime().nullable(),
  /** How many calls the rule allows in all; null for any number. Only a rule that allows has one. */
  budget: z.int().positive().max(maxRuleBudget).nullable(),
  /** Why it is there, for people. */
  note: z.string().max(500),
});
export type PolicyRule = z.infer<typeof policyRuleSchema>;
