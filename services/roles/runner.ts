import { setTimeout as delay } from "node:timers/promises";
import { requireModel } from "#contracts/models/registry";
import { type Leases, leaseTtlMs, openLeases } from "#event-store/leases/leases";
import type { SandboxProvider } from "#sandbox/provider/provider";
import { createProvider } from "#sandbox/providers/create-provider";
import { startScriptedModel } from "#sandbox/scripted-model/index";
import { deriveSandboxToken } from "#sandbox/token";
import type { ActionRegistry } from "../actions/sources/registry.ts";
import type { Config } from "../config.ts";
import { startSnapshotRemover } from "../configurations/snapshots/snapshot-remover.ts";
import type { Platform } from "../platform.ts";
import { type Running, runningStack } from "../running.ts";
import type { RunnerDeps } from "../runner/owner-context.ts";
import { configuredParts } from "../runner/configured-parts.ts";
import { instructionsOf } from "../runner/agent/instructions.ts";
import { startRunner } from "../runner/runner.ts";
import { openSessionParts } from "../runner/session-parts.ts";
import { startToolDecisions } from "../runner/agent/tool-decisions.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { e2bSettings } from "../sandboxes/e2b-settings.ts";
import { modalSettings } from "../sandboxes/modal-settings.ts";

export interface RunnerRoleOptions {
  readonly registry: ActionRegistry;
  readonly secrets: Secrets;
  /** Where sandboxes reach the gateway. */
  readonly gatewayUrl: string;
}

/** Owns sessions and the sandboxes that their agents run in. */
export const startRunnerRole = async (
  { store, sql, log, instance, config, keys, metrics }: Platform,
  { registry, secrets, gatewayUrl }: RunnerRoleOptions,
): Promise<Running> => {
  const started = runningStack();
  try {
    const model = await openModel(config);
    started.add(model);
    const provider = await createProvider(config.SANDBOX_PROVIDER, {
      local: {
        dataDir: config.DATA_DIR,
        isolation: config.SANDBOX_ISOLATION,
        localRepositories: "allow",
        ...(config.SANDBOX_MEMORY_MB !== undefined && {
          limits: {
            memoryBytes: config.SANDBOX_MEMORY_MB * 1024 * 1024,
            processes: config.SANDBOX_PROCESSES,
          },
        }),
      },
      e2b: e2bSettings(config),
      ...modalSettings(config),
    });
    started.add({
      stop: async () => {
        await provider[Symbol.asyncDispose]();
      },
    });
    const leases = await openLeases(store, "owner");
    started.add(endLeftovers(provider, { leases, instance, log }));
    const specOf: RunnerDeps["specOf"] = ({ organization, session }, state) => ({
      repositories: state.repositories,
      gateway: {
        url: gatewayUrl,
        token: deriveSandboxToken({
          secret: keys.sandboxTokens,
          sessionId: session,
          organizationId: organization,
        }),
      },
      model: {
        model: requireModel(state.model).opencodeId,
        smallModel: requireModel(config.SMALL_MODEL).opencodeId,
        baseUrl: model.baseUrl,
        apiKey: model.apiKey,
      },
      kind: state.kind,
      serviceCommands: state.serviceCommands,
      ...configuredParts(state, provider.type),
      ...(config.SANDBOX_GIT_PULL_ON_RESTORE && {
        freshness: { cadenceSeconds: config.SANDBOX_GIT_PULL_CADENCE_SECONDS },
      }),
      instructions: instructionsOf(state),
    });
    const parts = await openSessionParts({ store, sql, log }, { registry, secrets });
    started.add(await startToolDecisions(store, log));
    started.add(await startSnapshotRemover({ store, provider, log }));
    const runner = await startRunner({
      ...{ store, provider, instance, specOf, ...parts, log, leases },
      onBootStage: (report) => metrics.runner.bootStage(provider.type, report),
    });
    started.add(runner);
    metrics.runner.countOwned(() => runner.owned().length);
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
const openModel = async (config: Config): Promise<Model> => {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl = null } = config;
  if (apiKey !== undefined) {
    return { baseUrl, apiKey, stop: () => Promise.resolve() };
  }
  const scripted = await startScriptedModel();
  return { baseUrl: scripted.url, apiKey: "scripted", stop: () => scripted.close() };
};

/**
 * Puts away what a killed process has left running in this data folder: at once what nobody owns, and
 * the rest when the leases of the dead have run out. A sandbox is touched under its lease only.
 */
const endLeftovers = (
  provider: SandboxProvider,
  { leases, instance, log }: { readonly leases: Leases } & Pick<RunnerDeps, "instance" | "log">,
): Running => {
  const stopping = new AbortController();
  /** A provider without pauses ends its sandboxes when their time is up. */
  const sweep = async (): Promise<void> => {
    if (!provider.capabilities.pause) {
      return;
    }
    for (const { sessionId, sandboxId, state } of (await provider.checkSandboxes?.()) ?? []) {
      const lease =
        state === "running" && !stopping.signal.aborted
          ? await leases.acquire(sessionId, instance)
          : null;
      if (lease) {
        await provider.pause({ sessionId, sandboxId, snapshotId: null });
        await lease.release();
      }
    }
  };
  const sweeping = (async () => {
    try {
      await sweep();
      await delay(leaseTtlMs.owner, undefined, { signal: stopping.signal });
      await sweep();
    } catch (error) {
      if (!stopping.signal.aborted) {
        log.error({ err: error }, "leftover sandboxes could not be put away");
      }
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await sweeping;
    },
  };
};
