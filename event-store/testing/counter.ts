/** A small aggregate for tests: the modes of an organisation's actions, counted. */
import type { PolicyCommand as AnyPolicyCommand } from "#contracts/policy/commands";
import type { PolicyEvent as AnyPolicyEvent } from "#contracts/policy/events";
import { type CommandMeta, newCommandMeta } from "../command-meta.ts";
import type { AggregateDefinition } from "../aggregates/load.ts";

type PolicyCommand = Extract<AnyPolicyCommand, { type: "SetActionMode" }>;
type PolicyEvent = Extract<AnyPolicyEvent, { type: "ActionModeSet" }>;

export interface Counter {
  readonly count: number;
  readonly actions: readonly string[];
}

/** Counts how often a mode was set, and remembers for which actions. */
export const counter: AggregateDefinition<PolicyCommand, PolicyEvent, Counter> = {
  aggregate: "policy",
  snapshotVersion: 1,
  decider: {
    initialState: () => ({ count: 0, actions: [] }),
    decide: ({ integration, action, mode, by, at }) =>
      action === "nothing"
        ? []
        : [{ type: "ActionModeSet", data: { integration, action, mode, by, at } }],
    evolve: ({ count, actions }, { data }) => ({
      count: count + 1,
      actions: [...actions, data.action],
    }),
  },
};

export const setMode = (action: string): PolicyCommand => ({
  type: "SetActionMode",
  integration: "demo",
  action,
  mode: "allow",
  by: "test",
  at: "2026-01-01T00:00:00.000Z",
  definitionHash: null,
});

export const testMeta = (commandId?: string): CommandMeta =>
  newCommandMeta({
    actor: { kind: "service", id: "test", via: "test" },
    ...(commandId === undefined ? {} : { commandId }),
  });
