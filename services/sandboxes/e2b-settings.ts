import { DomainError } from "#contracts/errors";
import type { E2bSettings } from "#sandbox/providers/e2b/index";
import type { Config } from "../config.ts";

/**
 * Undefined unless E2B is chosen.
 * @throws DomainError `configuration_invalid`, naming all settings that are missing
 */
export const e2bSettings = (config: Config): E2bSettings | undefined => {
  if (config.SANDBOX_PROVIDER !== "e2b") return undefined;
  const { E2B_API_KEY: apiKey, E2B_TEMPLATE: template } = config;
  const needed = {
    E2B_API_KEY: apiKey,
    E2B_TEMPLATE: template,
    // Sandboxes elsewhere reach neither this computer nor the scripted model on it.
    SANDBOX_GATEWAY_URL: config.SANDBOX_GATEWAY_URL,
    ANTHROPIC_API_KEY: config.ANTHROPIC_API_KEY,
  };
  const missing = Object.entries(needed).flatMap(([name, value]) => (value ? [] : [name]));
  if (apiKey === undefined || template === undefined || missing.length > 0) {
    throw new DomainError(
      "configuration_invalid",
      `SANDBOX_PROVIDER=e2b also needs ${missing.join(", ")}.`,
      { fields: { missing } },
    );
  }
  return {
    apiKey,
    template,
    namespace: config.E2B_NAMESPACE,
    ...(config.E2B_DOMAIN !== undefined && { domain: config.E2B_DOMAIN }),
    ...(config.E2B_API_URL !== undefined && { apiUrl: config.E2B_API_URL }),
    ...(config.E2B_SANDBOX_URL !== undefined && { sandboxUrl: config.E2B_SANDBOX_URL }),
  };
};
