/**
 * How OpenCode is set up in a sandbox. It all goes through the environment, because what the repository's
 * own `opencode.json` says ranks below it. The agent can read this environment, so it may hold only what
 * belongs to the sandbox.
 */
import { providerOf } from "#contracts/models/registry";
import type { ModelAccess, ToolPermissions } from "../provider/spec.ts";

export interface OpencodeSetup {
  readonly model: ModelAccess;
  /** Absolute path of the instructions file inside. */
  readonly instructionsPath: string;
  /** Whether the sandbox has Playwright's MCP server, so that the agent can look at pages. */
  readonly browser: boolean;
  /** Which tools ask before they run; none without it. */
  readonly toolPermissions?: ToolPermissions | undefined;
  /** Password of the server's Basic authentication; the user is `opencode`. */
  readonly password: string;
}

/** The environment for `opencode serve`, without PATH and HOME. */
export const opencodeEnvironment = (setup: OpencodeSetup): Record<string, string> => ({
  OPENCODE_SERVER_PASSWORD: setup.password,
  OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(setup)),
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_CLAUDE_CODE: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  // OpenCode installs a package for the repository's own tools, and waits for it before the first answer.
  // Without a registry npm would retry for more than a minute.
  npm_config_fetch_retries: "0",
});

/** The value of the `Authorization` header for that password. */
export const opencodeAuthorization = (password: string): string =>
  `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}`;

export const browserCommand = "playwright-mcp";

/** A browser without a window and with pictures, in a profile that is gone afterwards. */
const playwright = {
  type: "local",
  command: [
    ...[browserCommand, "--headless", "--browser", "chromium", "--no-sandbox"],
    ...["--isolated", "--caps", "vision"],
  ],
  enabled: true,
};

const opencodeConfig = ({ model, instructionsPath, browser, toolPermissions }: OpencodeSetup) => ({
  $schema: "https://opencode.ai/config.json",
  model: model.model,
  small_model: model.smallModel,
  provider: {
    [providerOf(model.model)]: {
      options: { apiKey: model.apiKey, ...(model.baseUrl !== null && { baseURL: model.baseUrl }) },
    },
  },
  instructions: [instructionsPath],
  // Nobody sits at this terminal: a question would block the turn for ever. The sandbox is the fence,
  // unless the organisation's policy wants to be asked. The last entry that fits decides.
  permission: { "*": "allow", bash: "allow", ...toolPermissions, question: "deny" },
  // Who is refused a tool hears why, and goes on without it.
  ...(toolPermissions && { experimental: { continue_loop_on_deny: true } }),
  ...(browser && { mcp: { playwright } }),
  share: "disabled",
  autoupdate: false,
});
