/** The guide of a workspace while the policy changes, on a real log and beside a real integration. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import type { SandboxProvider } from "#sandbox/provider/provider";
import type { RunningSandbox } from "#sandbox/provider/sandbox";
import { type ActionStack, startActionStack } from "../../actions/testing/action-stack.ts";
import { listAvailable } from "../../actions/sources/catalogue.ts";
import { changePolicy } from "../../policy/commands.ts";
import { requireSession } from "../../sessions/session-log.ts";
import { createActionsGuide } from "./actions-guide.ts";

const patience = { timeout: 30_000, interval: 20 };

let stack: ActionStack;
let sessionId: SessionId;
beforeAll(async () => {
  stack = await startActionStack();
  sessionId = await stack.createSession();
});
afterAll(() => stack.close());

/** The guide with what it has written, oldest first, by a stand-in for a sandbox. */
const openGuide = () => {
  const written: string[] = [];
  const { store, organization, deps, log } = stack;
  const execCommand: SandboxProvider["execCommand"] = (_sandbox, _argv, options) => {
    written.push(String(options?.stdin));
    return Promise.resolve({
      exitCode: 0,
      stdout: "",
      stderr: "",
      truncated: false,
      timedOut: false,
    });
  };
  const guide = createActionsGuide({
    organization,
    session: sessionId,
    deps: {
      store,
      log,
      provider: { execCommand },
      availableActions: async () => {
        const state = await requireSession(store, { organization, session: sessionId });
        return listAvailable({ ...deps, log }, organization, { id: sessionId, state });
      },
    },
  });
  return { guide, written };
};
const sandbox = () => ({ sessionId, sandboxId: "one", snapshotId: null });
/** Only which one it is counts here. */
const booted = (): RunningSandbox => ({
  ...{ sessionId, sandboxId: "one", origin: "created", warnings: [], workspace: "/workspace" },
  opencode: { baseUrl: "", authorization: "" },
  tunnels: { opencode: "", preview: "", sidecar: "", ssh: null },
  expiresAt: null,
});
const publish = { integration: "demo", action: "publish_release" } as const;
const setMode = (mode: "allow" | "deny") =>
  changePolicy(
    stack.store,
    stack.organization,
    {
      type: "SetActionMode",
      ...{ ...publish, mode, definitionHash: null },
      ...{ by: "usr_1", at: new Date().toISOString() },
    },
    newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } }),
  );

it("follows the policy while it is kept, and is written again only where it differs", async () => {
  const { guide, written } = openGuide();
  const running = booted();
  const first = guide.keep(sandbox(), running);
  await vi.waitFor(() => expect(written).toHaveLength(1), patience);
  expect(written[0]).toContain("- `publish_release` waits for a person");
  await setMode("deny");
  await vi.waitFor(() => expect(written).toHaveLength(2), patience);
  expect(written[1]).toContain("- `publish_release` is refused");

  first.stop();
  await setMode("allow");
  // The next prompt finds the change that nobody has watched for, and the one after it nothing new.
  const second = guide.keep(sandbox(), running);
  await vi.waitFor(() => expect(written).toHaveLength(3), patience);
  expect(written[2]).toContain("- `publish_release` runs at once");
  second.stop();
  guide.keep(sandbox(), running).stop();

  // A boot has written a guide of its own over it.
  guide.keep(sandbox(), booted()).stop();
  await vi.waitFor(() => expect(written).toHaveLength(4), patience);
  expect(written[3]).toBe(written[2]);
});
