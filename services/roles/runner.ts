import { openLeases } from "#event-store/leases";
import { openLocalProvider } from "#sandbox/providers/local/index";
import { startScriptedModel } from "#sandbox/scripted-model/index";
import { deriveSandboxToken } from "#sandbox/token";
import type { Config } from "../config.ts";
import type { Platform } from "../platform.ts";
import { type Running, runningStack } from "../running.ts";
import type { RunnerDeps } from "../runner/owner-context.ts";
import { startRunner } from "../runner/runner.ts";

/** Owns sessions and the sandboxes that their agents run in. */
export const startRunnerRole = async (
  { store, log, instance, config, keys }: Platform,
  gatewayUrl: string,
): Promise<Running> => {
  const started = runningStack();
  try {
    const model = await openModel(config);
    started.add(model);
    const provider = await openLocalProvider({
      dataDir: config.DATA_DIR,
      isolation: config.SANDBOX_ISOLATION,
      localRepositories: "allow",
    });
    started.add({ stop: () => provider[Symbol.asyncDispose]() });
    await endLeftovers(provider);
    const leases = await openLeases(store, "owner");
    const specOf: RunnerDeps["specOf"] = ({ organization, session }, state) => ({
      repository: state.repository,
      gateway: {
        url: gatewayUrl,
        token: deriveSandboxToken({
          secret: keys.sandboxTokens,
          sessionId: session,
          organizationId: organization,
        }),
      },
      model: {
        model: state.model,
        smallModel: config.SMALL_MODEL,
        baseUrl: model.baseUrl,
        apiKey: model.apiKey,
      },
      instructions: `You work on the session "${state.title}".`,
    });
    started.add(await startRunner({ store, provider, instance, specOf, log, leases }));
    return started;
  } catch (error) {
    await started.stop();
    throw error;
  }
};

interface Model extends Running {
  /** Null for the provider's own. */
  readonly baseUrl: string | null;
  readonly apiKey: string;
}

/** The real model with a key, the scripted one without. */
const openModel = async ({ ANTHROPIC_API_KEY: apiKey }: Config): Promise<Model> => {
  if (apiKey !== undefined) {
    return { baseUrl: null, apiKey, stop: () => Promise.resolve() };
  }
  const scripted = await startScriptedModel();
  return { baseUrl: scripted.url, apiKey: "scripted", stop: () => scripted.close() };
};

/** Puts away what a killed process has left running in this data folder, which no owner knows of. */
const endLeftovers = async (
  provider: Awaited<ReturnType<typeof openLocalProvider>>,
): Promise<void> => {
  const running = (await provider.list()).filter(({ state }) => state === "running");
  await Promise.all(running.map(({ sessionId }) => provider.pause(sessionId)));
};
