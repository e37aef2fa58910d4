import type { Conversation } from "./conversation.ts";
import type { Scenario, Step } from "./scenario.ts";
import { exchangeAt, selectScenario, stepAt } from "./selection.ts";

/**
 * The step that answers a request. `nextAttempt` says how many equal requests came before, and is asked only where
 * it matters: for a step that fails some times first.
 */
export function chooseStep(
  scenarios: readonly Scenario[],
  conversation: Conversation,
  nextAttempt: () => number,
): Step {
  // Titles and summaries are asked for without tools; they are not a turn of the scenario.
  if (!conversation.offersTools)
    return { kind: "answer", text: titleOf(conversation.prompt), toolCalls: [] };
  const scenario = selectScenario(scenarios, conversation.prompt);
  if (scenario === undefined) {
    const message = "no scenario takes this prompt, and there is no default scenario";
    return { kind: "error", status: 400, type: "invalid_request_error", message, times: "always" };
  }
  const exchange = exchangeAt(scenario, conversation.answersGiven);
  return stepAt(exchange, exchange.faults.length > 0 ? nextAttempt() : 0);
}

function titleOf(prompt: string): string {
  return prompt.split(/\s+/u).slice(0, 6).join(" ").slice(0, 50) || "Untitled";
}
