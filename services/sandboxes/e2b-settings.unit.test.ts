import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { e2bSettings } from "./e2b-settings.ts";

const chosen = {
  SANDBOX_PROVIDER: "e2b",
  E2B_API_KEY: "e2b_key",
  E2B_TEMPLATE: "agents",
  SANDBOX_GATEWAY_URL: "https://proliferate.example",
  ANTHROPIC_API_KEY: "sk-ant-key",
};

test("E2B has settings only when it is chosen, with everything that it needs", () => {
  expect(e2bSettings(readConfig({ ...chosen, SANDBOX_PROVIDER: "local" }))).toBeUndefined();
  expect(e2bSettings(readConfig(chosen))).toEqual({
    apiKey: "e2b_key",
    template: "agents",
    namespace: "proliferate",
  });
  const hosted = { E2B_DOMAIN: "e2b.example", E2B_API_URL: "https://control.e2b.example" };
  expect(e2bSettings(readConfig({ ...chosen, ...hosted }))).toMatchObject({
    domain: "e2b.example",
    apiUrl: "https://control.e2b.example",
  });
});

test("all settings that are missing are named together", () => {
  const { E2B_TEMPLATE: _template, ANTHROPIC_API_KEY: _key, ...incomplete } = chosen;
  expect(() => e2bSettings(readConfig(incomplete))).toThrow(
    expect.objectContaining({
      code: "configuration_invalid",
      fields: { missing: ["E2B_TEMPLATE", "ANTHROPIC_API_KEY"] },
    }),
  );
});
