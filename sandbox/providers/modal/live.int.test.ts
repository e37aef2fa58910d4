/**
 * The same contract on the real Modal. Costs money, needs the deployed app of `infra/modal` and a public
 * repository with the branches that the contract expects, so it runs only where all of this is given.
 */
import { test } from "vitest";
import { describeProvider } from "../../testing/provider-contract/index.ts";
import { openModalProvider } from "./provider.ts";
import { expectedCapabilities } from "./testing/expected-capabilities.ts";

const {
  MODAL_TOKEN_ID: tokenId,
  MODAL_TOKEN_SECRET: tokenSecret,
  MODAL_APP_NAME: appName = "proliferate-sandbox",
  MODAL_LIVE_REPOSITORY: repositoryUrl,
} = process.env;

if (tokenId && tokenSecret && repositoryUrl) {
  describeProvider({
    type: "modal",
    timeoutMs: 600_000,
    capabilities: expectedCapabilities,
    harness: () => {
      const open = () =>
        Promise.resolve(
          openModalProvider({
            credentials: { tokenId, tokenSecret },
            appName,
            baseSnapshotId: null,
            lifetimeMs: 900_000,
          }),
        );
      return Promise.resolve({
        open,
        repositoryUrl,
        kill: async ({ sessionId, sandboxId }) => {
          await using other = await open();
          await other.terminate({ sessionId, sandboxId, snapshotId: null });
        },
        leftovers: async (ref) => {
          await using other = await open();
          const [found] = await other.checkSandboxes([ref]);
          return found?.state === "gone" ? [] : [`sandbox ${found?.sandboxId}`];
        },
        close: () => Promise.resolve(),
      });
    },
  });
} else {
  const missing = "MODAL_TOKEN_ID, MODAL_TOKEN_SECRET or MODAL_LIVE_REPOSITORY is not set";
  test.skip(`the real Modal: skipped, since ${missing}`);
}
