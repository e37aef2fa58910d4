import type { FaultStep, Scenario, Step } from "./scenario.ts";

/** The first scenario whose selector takes the prompt, else the default one; undefined if there is neither. */
export function selectScenario(
  scenarios: readonly Scenario[],
  prompt: string,
): Scenario | undefined {
  const chosen = scenarios.find((scenario) => takes(scenario, prompt));
  return chosen ?? scenarios.find((scenario) => scenario.select.by === "default");
}

function takes({ select }: Scenario, prompt: string): boolean {
  switch (select.by) {
    case "contains": {
      const text = prompt.toLowerCase();
      return select.anyOf.some((part) => text.includes(part.toLowerCase()));
    }
    case "matches":
      return new RegExp(select.pattern, "iu").test(prompt);
    case "default":
      return false;
  }
}

/** Faults leave no trace in the conversation, so they come before the step that the agent will remember. */
export interface Exchange {
  faults: readonly FaultStep[];
  outcome: Step;
}

/**
 * The steps for the request that follows `answersGiven` answers. Past the end, the last exchange answers again, so
 * that an agent which asks once more than expected still gets an end to its turn.
 */
export function exchangeAt(scenario: Scenario, answersGiven: number): Exchange {
  const exchanges: Exchange[] = [];
  let faults: FaultStep[] = [];
  for (const step of scenario.steps) {
    if ((step.kind === "error" || step.kind === "drop") && step.times !== "always") {
      faults.push(step);
      continue;
    }
    exchanges.push({ faults, outcome: step });
    faults = [];
  }
  const exchange = exchanges[answersGiven] ?? exchanges.at(-1);
  if (exchange === undefined)
    throw new Error(`scenario ${scenario.name} has no step that ends a turn`);
  return exchange;
}

/** What happens at the given attempt (0 for the first) of one exchange. */
export function stepAt(exchange: Exchange, attempt: number): Step {
  let failed = 0;
  for (const fault of exchange.faults) {
    if (fault.times === "always") return fault;
    failed += fault.times;
    if (attempt < failed) return fault;
  }
  return exchange.outcome;
}
