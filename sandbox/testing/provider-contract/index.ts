/**
 * What every provider has to do, as tests. A harness brings a provider and a way to look behind it; what
 * is asked depends on the provider's capabilities, never on its name.
 */
import { describe } from "vitest";
import { describeFailedBoots } from "./failed-boots.ts";
import type { ProviderContract } from "./harness.ts";
import { describeInside } from "./inside.ts";
import { describeLifecycle } from "./lifecycle.ts";
import { describeLooking } from "./looking.ts";
import { describePuttingAway } from "./putting-away.ts";
import { openSuite } from "./suite.ts";
import { describeTerminal } from "./terminal.ts";

export const describeProvider = (contract: ProviderContract): void => {
  const { type, timeoutMs = 120_000 } = contract;
  describe(`the provider ${type}`, { timeout: timeoutMs }, () => {
    const suite = openSuite(contract);
    describeLifecycle(suite);
    describeFailedBoots(suite);
    describeInside(suite);
    describeLooking(suite);
    describePuttingAway(suite);
    describeTerminal(suite);
  });
};
