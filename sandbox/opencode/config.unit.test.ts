import { expect, test } from "vitest";
import { opencodeAuthorization, opencodeEnvironment } from "./config.ts";

const setup = {
  model: {
    model: "anthropic/claude-sonnet-4-6",
    smallModel: "anthropic/claude-haiku-4-5",
    baseUrl: "http://127.0.0.1:4010/v1",
    apiKey: "own-key",
  },
  instructionsPath: "/home/user/.proliferate/instructions.md",
  browser: false,
  password: "secret",
};

const configOf = (environment: Record<string, string>): Record<string, unknown> =>
  JSON.parse(environment["OPENCODE_CONFIG_CONTENT"] ?? "") as Record<string, unknown>;

test("the agent may run everything, ask nobody, and publish nothing", () => {
  const config = configOf(opencodeEnvironment(setup));
  expect(config).toMatchObject({
    model: setup.model.model,
    small_model: setup.model.smallModel,
    provider: { anthropic: { options: { baseURL: setup.model.baseUrl, apiKey: "own-key" } } },
    instructions: [setup.instructionsPath],
    permission: { "*": "allow", bash: "allow", question: "deny" },
    share: "disabled",
    autoupdate: false,
  });
});

test("tools that the policy wants to be asked about ask, and still nobody is asked a question", () => {
  const toolPermissions = { "*": "ask", bash: "ask", read: "allow", question: "allow" } as const;
  const { permission } = configOf(opencodeEnvironment({ ...setup, toolPermissions }));
  expect(permission).toEqual({ "*": "ask", bash: "ask", read: "allow", question: "deny" });
  // The last entry that fits decides: the general one has to stay first.
  expect(Object.keys(permission as object)[0]).toBe("*");
});

test("there is a browser where the sandbox has one", () => {
  expect(configOf(opencodeEnvironment(setup))).not.toHaveProperty("mcp");
  expect(configOf(opencodeEnvironment({ ...setup, browser: true }))).toMatchObject({
    mcp: { playwright: { type: "local", enabled: true } },
  });
});

test("the provider's public address is used when none is given", () => {
  const config = configOf(
    opencodeEnvironment({ ...setup, model: { ...setup.model, baseUrl: null } }),
  );
  expect(config["provider"]).toEqual({ anthropic: { options: { apiKey: "own-key" } } });
});

test("the server's password is the one that its clients send", () => {
  const password = opencodeEnvironment(setup)["OPENCODE_SERVER_PASSWORD"];
  const header = opencodeAuthorization(setup.password);
  expect(Buffer.from(header.replace(/^Basic /, ""), "base64").toString()).toBe(
    `opencode:${password}`,
  );
});
