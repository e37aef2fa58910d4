import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test, vi } from "vitest";
import { newId } from "#contracts/ids";
import { findCaddy } from "#infra/caddy/find-caddy";
import type { SandboxProvider, StageReport } from "../../provider/provider.ts";
import type { RunningSandbox, SandboxRef } from "../../provider/sandbox.ts";
import type { SandboxSpec } from "../../provider/spec.ts";
import { openE2bProvider } from "../../providers/e2b/index.ts";
import { openEmulatedAccount } from "../../providers/e2b/testing/emulated-account.ts";

const caddy = await findCaddy({ env: process.env }).catch((error: unknown) => {
  process.stderr.write(`The preview's ports are not tested: ${String(error)}\n`);
  return null;
});
const patience = { timeout: 60_000, interval: 100 };

const spec = (changes: Partial<SandboxSpec> = {}): SandboxSpec => ({
  repositories: [],
  gateway: { url: "http://127.0.0.1:9", token: "sbx1.first.token" },
  model: { model: "anthropic/m", smallModel: "anthropic/s", baseUrl: null, apiKey: "own-key" },
  instructions: "Work.",
  ...changes,
});

const newRef = (): SandboxRef => ({
  sessionId: newId("session"),
  sandboxId: null,
  snapshotId: null,
});

/** Boots, and waits until the sidecar's stage is over. */
const boot = async (
  provider: SandboxProvider,
  ref: SandboxRef,
  changes: Partial<SandboxSpec> = {},
): Promise<{ readonly sandbox: RunningSandbox; readonly sidecar: StageReport["outcome"] }> => {
  const stages: StageReport[] = [];
  const sandbox = await provider.ensureSandbox({
    ...ref,
    spec: spec(changes),
    onAdditionalStage: (report) => stages.push(report),
  });
  const ended = await vi.waitUntil(() => stages.find(({ stage }) => stage === "sidecar"), patience);
  return { sandbox, sidecar: ended.outcome };
};

test("a sidecar that runs is kept, unless it has another token: a copy of a sandbox has its original's", async () => {
  await using account = await openEmulatedAccount();
  await using provider = openE2bProvider(account.settings);
  const ref = newRef();
  expect((await boot(provider, ref)).sidecar).toBe("done");
  const home = account.emulator.sandboxes.list()[0]?.folder.home ?? "";
  const process = () => readFile(`${home}/.proliferate/run/sidecar.pid`, "utf8");
  const first = await process();
  // Other instructions have the agent's server launched anew, and the boot with it.
  const kept = await boot(provider, ref, { instructions: "Work on." });
  expect([kept.sidecar, await process()]).toEqual(["skipped", first]);
  const gateway = { url: "http://127.0.0.1:9", token: "sbx1.second.token" };
  const replaced = await boot(provider, ref, { instructions: "Go on.", gateway });
  expect(replaced.sidecar).toBe("done");
  expect(await process()).not.toBe(first);
}, 300_000);

const applications: Server[] = [];
afterAll(() => {
  for (const server of applications) {
    server.closeAllConnections();
    server.close();
  }
});

const application = async (name: string): Promise<number> => {
  const server = createServer((_, response) => response.end(name));
  applications.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

test.skipIf(caddy === null)(
  "the preview shows the ports of the configuration, also those of a later one, and never the sandbox's own",
  async () => {
    await using account = await openEmulatedAccount(undefined, { caddy: caddy ?? "" });
    await using provider = openE2bProvider(account.settings);
    const ref = newRef();
    const shows = ({ tunnels }: RunningSandbox, expected: string) =>
      vi.waitFor(async () => {
        const response = await fetch(tunnels.preview);
        expect(await response.text()).toBe(expected);
      }, patience);
    const one = await application("one");
    const { sandbox } = await boot(provider, ref, { ports: [one] });
    await shows(sandbox, "one");

    const { opencode, preview } = account.settings.portsOf?.(sandbox.sandboxId) ?? {};
    const ports = [Number(opencode), Number(preview), await application("two")];
    const later = await boot(provider, ref, { ports, instructions: "Go on." });
    expect(later.sidecar).toBe("done");
    await shows(later.sandbox, "two");
  },
  300_000,
);
