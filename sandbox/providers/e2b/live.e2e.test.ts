/**
 * The real E2B, with a template made of infra/e2b: runs where E2B_API_KEY and E2B_TEMPLATE are set (and
 * E2B_DOMAIN for a self-hosted one), and costs a few minutes of one sandbox.
 */
import { expect, test } from "vitest";
import { newId } from "#contracts/ids";
import { openE2bProvider } from "./index.ts";

const { E2B_API_KEY: apiKey, E2B_TEMPLATE: template, E2B_DOMAIN: domain } = process.env;
const limitMs = 600_000;

if (apiKey && template) {
  test(
    "a sandbox at E2B boots, runs commands, sleeps, goes on and ends",
    async () => {
      const provider = openE2bProvider({
        apiKey,
        template,
        ...(domain && { domain }),
        namespace: `live-test-${newId("session")}`,
        timeoutMs: 300_000,
      });
      const ref = { sessionId: newId("session"), sandboxId: null, snapshotId: null };
      const copy = { ...ref, sessionId: newId("session") };
      const spec = {
        repositories: [],
        gateway: { url: "http://127.0.0.1:9", token: "sbx1.test.token" },
        model: {
          model: "anthropic/claude-sonnet-4-6",
          smallModel: "anthropic/claude-haiku-4-5",
          baseUrl: null,
          apiKey: "no-model-is-asked",
        },
        instructions: "Wait.",
        environment: { COLOUR: "it's green" },
      };
      try {
        const created = await provider.ensureSandbox({ ...ref, spec });
        expect(created.origin).toBe("created");
        const command = ["sh", "-c", 'cat; echo "$COLOUR" | tee kept.txt; exit 3'] as const;
        const said = await provider.execCommand(ref, command, { stdin: "typed\n" });
        expect(said).toMatchObject({ exitCode: 3, stdout: "typed\nit's green\n" });

        await provider.pause(ref);
        expect((await provider.health(ref)).state).toBe("paused");
        const resumed = await provider.ensureSandbox({ ...ref, spec });
        expect(resumed).toMatchObject({ origin: "resumed", sandboxId: created.sandboxId });
        expect(resumed.warnings).toEqual([]);
        expect((await provider.health(ref)).agent).toBe("answers");
        const [kept] = await provider.readFiles(ref, ["kept.txt"]);
        expect(Buffer.from(kept?.content ?? []).toString()).toBe("it's green\n");

        const snapshotId = await provider.snapshot(ref);
        expect((await provider.health(ref)).agent).toBe("answers");
        const begun = await provider.ensureSandbox({ ...copy, spec: { ...spec, snapshotId } });
        expect(begun).toMatchObject({ origin: "restored", warnings: [] });
        const [copied] = await provider.readFiles(copy, ["kept.txt"]);
        expect(copied).toEqual(kept);
        await expect(provider.deleteSnapshot(snapshotId)).rejects.toThrow();
        await provider.terminate(copy);
        await provider.deleteSnapshot(snapshotId);
      } finally {
        await provider.terminate(copy);
        await provider.terminate(ref);
        await provider[Symbol.asyncDispose]();
      }
    },
    limitMs,
  );
} else {
  test.skip("the real E2B is not tried: E2B_API_KEY and E2B_TEMPLATE are not set");
}
