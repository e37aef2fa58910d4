import { Counter, type Registry } from "prom-client";
import type { StoredEvent } from "#contracts/commit";
import type { InvocationEvent } from "#contracts/invocation/events";
import { agentIntegration } from "#contracts/policy/agent-tools";

type Invoked = Extract<InvocationEvent, { type: "ActionInvoked" }>["data"];

/** The events that end an invocation. */
const outcomes: ReadonlyMap<string, string> = new Map<InvocationEvent["type"], string>([
  ["ActionCompleted", "completed"],
  ["ActionFailed", "failed"],
  ["ActionDenied", "denied"],
  ["ActionExpired", "expired"],
  ["OutcomeLost", "unknown"],
]);

/**
 * Counts invocations by their events: when they are asked for, with what policy makes of them, and when they
 * end, which may be hours later and in another process.
 */
export const invocationMetrics = (registry: Registry): ((event: StoredEvent) => void) => {
  const asked = new Counter({
    name: "proliferate_action_invocations_total",
    help: "Actions that were asked for: of the agent's own tools or of integrations, their mode and what decided it.",
    labelNames: ["kind", "mode", "mode_source"],
    registers: [registry],
  });
  const ended = new Counter({
    name: "proliferate_action_outcomes_total",
    help: "Actions that have come to an end.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  for (const outcome of outcomes.values()) ended.inc({ outcome }, 0);
  return ({ type, data }) => {
    const outcome = outcomes.get(type);
    if (outcome !== undefined) ended.inc({ outcome });
    if (type !== "ActionInvoked") return;
    const { integration, mode, modeSource } = data as Pick<
      Invoked,
      "integration" | "mode" | "modeSource"
    >;
    // Organisations name connectors of their own, so that their names are without bound.
    const kind = integration === agentIntegration ? "agent" : "integration";
    asked.inc({ kind, mode, mode_source: modeSource });
  };
};
