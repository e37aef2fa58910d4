/** Behind bubblewrap, where this computer allows its namespaces; elsewhere it says why not. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newId } from "#contracts/ids";
import { findBubblewrap } from "#infra/bubblewrap/find-bubblewrap";
import { makeAgentStandIn } from "../../testing/agent-stand-in.ts";
import { probeIsolation } from "./isolation.ts";
import { openLocalProvider } from "./provider.ts";
import { searchPath } from "./readable-paths.ts";
import { describeLocalProvider } from "./testing/contract.ts";

const usable = async (): Promise<string | null> => {
  try {
    const command = await findBubblewrap({ env: process.env });
    await probeIsolation({ choice: "bubblewrap", command, searchPath: searchPath() });
    return command;
  } catch (error) {
    process.stderr.write(`Fenced sandboxes are not tested: ${String(error)}\n`);
    return null;
  }
};
const command = await usable();
const fence = { isolation: "bubblewrap", bubblewrap: command ?? "" } as const;

describe.skipIf(command === null)("behind a fence", () => {
  describeLocalProvider(fence);

  test("a sandbox sees its own files and processes, and nobody else's", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "proliferate-fenced-"));
    try {
      const secret = path.join(folder, "secret");
      await writeFile(secret, "the control plane's own");
      await using provider = await openLocalProvider({
        ...fence,
        dataDir: path.join(folder, "data"),
        localRepositories: "refuse",
        opencodeBinary: await makeAgentStandIn(path.join(folder, "agent")),
      });
      expect(provider.capabilities.isolated).toBe(true);
      const ref = { sessionId: newId("session"), sandboxId: null, snapshotId: null };
      const spec = {
        repositories: [],
        gateway: { url: "http://127.0.0.1:9", token: "sbx1.fenced.token" },
        model: {
          model: "anthropic/m",
          smallModel: "anthropic/s",
          baseUrl: null,
          apiKey: "own-key",
        },
        instructions: "Work.",
      };
      await provider.ensureSandbox({ ...ref, spec });
      const shell = (script: string) => provider.execCommand(ref, ["sh", "-c", script]);
      expect(await shell(`cat ${secret} /etc/shadow`)).toMatchObject({ exitCode: 1, stdout: "" });
      expect((await shell("ls /root /home 2>&1; id -u")).stdout).toMatch(/1000\n$/);
      const processes = (await shell("ls /proc | grep -c '^[0-9]'")).stdout;
      expect(Number(processes)).toBeLessThan(10);
      expect((await shell("touch /usr/pwned /etc/pwned")).exitCode).not.toBe(0);
      expect((await shell("echo fine > own && cat own")).stdout).toBe("fine\n");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
