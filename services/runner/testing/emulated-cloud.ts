/** The whole program for tests on an emulated E2B: real agents, a scripted model, and the runner in this process. */
import { openLeases } from "#event-store/leases/leases";
import { findOpencodeBinary } from "#sandbox/opencode/binary";
import { openE2bProvider } from "#sandbox/providers/e2b/index";
import {
  openEmulatedAccount,
  type EmulatedAccount,
} from "#sandbox/providers/e2b/testing/emulated-account";
import { startScriptedModel } from "#sandbox/scripted-model/index";
import { deriveSandboxToken } from "#sandbox/token";
import { type Running, runningStack } from "../../running.ts";
import { openSecrets } from "../../secrets/secrets.ts";
import { startTestStack, type TestStack } from "../../testing/test-stack.ts";
import { configuredParts } from "../configured-parts.ts";
import { startRunner } from "../runner.ts";
import { openSessionParts } from "../session-parts.ts";

export interface EmulatedCloud {
  readonly stack: TestStack;
  readonly account: EmulatedAccount;
  close(): Promise<void>;
}

/** @param model how fast it talks */
export const startEmulatedCloud = async (
  model: { readonly tokenDelayMs?: number } = {},
): Promise<EmulatedCloud> => {
  const started = runningStack();
  try {
    const scripted = await startScriptedModel(model);
    started.add({ stop: () => scripted.close() });
    const account = await openEmulatedAccount(await findOpencodeBinary());
    started.add(disposing(account));
    const stack = await startTestStack({ ROLES: "projector,worker,fanout,gateway" });
    started.add({ stop: () => stack.close() });
    const provider = openE2bProvider(account.settings);
    started.add(disposing(provider));
    const { platform } = stack.program;
    const { store, log, sql, keys } = platform;
    const runner = await startRunner({
      ...{ store, log, provider },
      instance: "runner-of-the-test",
      leases: await openLeases(store, "owner"),
      ...(await openSessionParts(platform, {
        registry: { sourcesOf: () => Promise.resolve([]) },
        secrets: await openSecrets(sql, keys.secretWrapping),
      })),
      specOf: ({ organization: organizationId, session: sessionId }, state) => ({
        repositories: [],
        gateway: {
          url: stack.url,
          token: deriveSandboxToken({ secret: keys.sandboxTokens, sessionId, organizationId }),
        },
        model: {
          model: "anthropic/claude-sonnet-4-6",
          smallModel: "anthropic/claude-haiku-4-5",
          baseUrl: scripted.url,
          apiKey: "the-sandboxes-own-key",
        },
        kind: state.kind,
        ...configuredParts(state, provider.type),
        instructions: "Be kind.",
      }),
    });
    started.add(runner);
    return { stack, account, close: started.stop };
  } catch (error) {
    await started.stop();
    throw error;
  }
};

const disposing = (opened: AsyncDisposable): Running => ({
  stop: async () => {
    await opened[Symbol.asyncDispose]();
  },
});
