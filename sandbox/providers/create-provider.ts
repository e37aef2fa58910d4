/** Opens a provider by its type: the one place that knows which there are. */
import { DomainError } from "#contracts/errors";
import type { SandboxProvider } from "../provider/provider.ts";
import type { E2bSettings } from "./e2b/index.ts";
import { openLocalProvider, type LocalProviderOptions } from "./local/index.ts";
import type { ModalProviderOptions } from "./modal/provider.ts";

/** The settings of each provider that is to be used. */
export interface ProviderSettings {
  readonly local?: LocalProviderOptions;
  readonly e2b?: E2bSettings | undefined;
  readonly modal?: ModalProviderOptions;
}

type Open = (settings: ProviderSettings) => SandboxProvider | Promise<SandboxProvider>;

const providers: Readonly<Record<string, Open>> = {
  local: ({ local }) => openLocalProvider(configured("local", local)),
  // Only a program that uses them pays for loading the SDKs.
  e2b: async ({ e2b }) => {
    const { openE2bProvider } = await import("./e2b/index.ts");
    return openE2bProvider(configured("e2b", e2b));
  },
  modal: async ({ modal }) => {
    const { openModalProvider } = await import("./modal/provider.ts");
    return openModalProvider(configured("modal", modal));
  },
};

/**
 * @throws DomainError `sandbox_provider_unknown` for a type that is not in the table,
 * `configuration_invalid` for one without settings, and what opening it throws
 */
export const createProvider = async (
  type: string,
  settings: ProviderSettings,
): Promise<SandboxProvider> => {
  const open = Object.hasOwn(providers, type) ? providers[type] : undefined;
  if (open === undefined) {
    const known = Object.keys(providers);
    throw new DomainError(
      "sandbox_provider_unknown",
      `There is no sandbox provider "${type}"; there are: ${known.join(", ")}.`,
      { fields: { type, known } },
    );
  }
  return open(settings);
};

const configured = <T>(type: string, settings: T | undefined): T => {
  if (settings !== undefined) return settings;
  throw new DomainError("configuration_invalid", `The sandbox provider "${type}" has no settings.`);
};
