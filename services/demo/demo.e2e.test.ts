import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const demo = fileURLToPath(new URL("main.ts", import.meta.url));

describe("the demo", () => {
  it("does the main job from end to end and says so in its last line", async () => {
    const { stdout } = await run(
      process.execPath,
      ["--conditions=proliferate-source", "--import", "tsx", demo, "--json"],
      { env: { ...process.env, ANTHROPIC_API_KEY: "" }, timeout: 240_000 },
    );
    const result = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
    expect(result).toMatchObject({
      ok: true,
      session: expect.stringMatching(/^ses_/) as string,
      approvals: 1,
      replayIdentical: true,
      chainVerified: true,
      resumed: true,
      webhookRuns: 1,
    });
    for (const figure of ["commits", "tokens", "firstTokenMs", "bootMs", "totalMs"]) {
      expect(result[figure]).toBeGreaterThan(0);
    }
  }, 260_000);
});
