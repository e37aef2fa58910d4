/** Files, commands and addresses of a running sandbox. */
import { randomBytes, randomInt } from "node:crypto";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { RunningSandbox, SandboxRef } from "../../provider/sandbox.ts";
import { agentStatus, controlPlaneSecret, must, patience, type Suite } from "./suite.ts";

export const describeInside = ({
  can,
  timeoutMs,
  harness,
  provider,
  newRef,
  boot,
  shell,
}: Suite): void => {
  test("keeps each repository in its place", async () => {
    const url = harness().repositoryUrl;
    const { ref } = await boot(newRef(), {
      repositories: [
        { url, ref: "HEAD", path: "apps/one" },
        { url, ref: "feature", path: "two" },
      ],
    });
    const [one, two] = await must(provider().readFiles)(ref, [
      "apps/one/README.md",
      "two/README.md",
    ]);
    expect(textOfFile(one)).toBe("on main\n");
    expect(textOfFile(two)).toBe("on feature\n");
  });

  describe("inside a running sandbox", () => {
    let ref: SandboxRef;
    let sandbox: RunningSandbox;
    beforeAll(async () => {
      ({ ref, sandbox } = await boot());
    }, timeoutMs);

    test("the workspace is the repository, and the environment is the sandbox's own", async () => {
      expect(await shell(ref, "cat README.md")).toBe("on feature");
      expect(await shell(ref, "pwd")).toBe(sandbox.workspace);
      expect(await shell(ref, 'echo "$COLOUR"')).toBe("it's green");
      expect(await shell(ref, "env")).not.toContain(controlPlaneSecret);
    });

    test.runIf(can.readFiles && can.exec)("files come out as they are", async () => {
      const binary = randomBytes(256 * 1024);
      const large = Buffer.alloc(10 * 1024 * 1024, "0123456789abcdef");
      const exec = must(provider().execCommand);
      await exec(ref, ["tee", "binary"], { stdin: binary, maxOutputBytes: 10 });
      await shell(ref, "yes 0123456789abcdef | tr -d '\\n' | head -c 10485760 > 'a large; file'");
      const paths = ["binary", `${sandbox.workspace}/a large; file`, "no/such", "README.md"];
      const files = await must(provider().readFiles)(ref, paths);
      expect(files.map(({ path }) => path)).toEqual(paths);
      const [first, second, missing, readme] = files.map(({ content }) => content);
      expect(binary.equals(first ?? Buffer.alloc(0))).toBe(true);
      expect(large.equals(second ?? Buffer.alloc(0))).toBe(true);
      expect(missing).toBeNull();
      expect(Buffer.from(readme ?? []).toString()).toBe("on feature\n");
    });

    test.runIf(can.exec)(
      "a command gets exactly its arguments, input and environment",
      async () => {
        const exec = must(provider().execCommand);
        const words = ["$HOME", "`id`", "it's", "a\nb", "*", ";", "|", "", "--help", "ä"];
        const echoed = await exec(ref, ["printf", "%s\\0", ...words]);
        expect(echoed.stdout.split("\0").slice(0, -1)).toEqual(words);
        const result = await exec(ref, ["sh", "-c", 'cat; echo "$GREETING" >&2; pwd >&2; exit 3'], {
          stdin: "from outside",
          env: { GREETING: "$hello 'there'" },
          cwd: "/",
        });
        expect(result).toEqual({
          exitCode: 3,
          stdout: "from outside",
          stderr: "$hello 'there'\n/\n",
          truncated: false,
          timedOut: false,
        });
      },
    );

    test.runIf(can.exec)(
      "a command that takes too long is ended with what it started",
      async () => {
        const exec = must(provider().execCommand);
        // Nobody else on this machine sleeps for exactly as long.
        const duration = String(randomInt(1_000_000, 2_000_000_000));
        const script = `echo begun; sleep ${duration} & sleep ${duration}`;
        const result = await exec(ref, ["sh", "-c", script], { timeoutMs: 4_000 });
        expect(result).toMatchObject({ exitCode: null, timedOut: true, stdout: "begun\n" });
        await vi.waitUntil(
          // The brackets keep the search from finding itself.
          async () =>
            (await shell(ref, `ps -eo args | grep -c '[s]leep ${duration}' || true`)) === "0",
          patience,
        );
      },
    );

    test.runIf(can.exec)("output beyond its limit is dropped, and said to be", async () => {
      const argv = ["sh", "-c", "yes | head -c 10485760; echo end >&2"] as const;
      const result = await must(provider().execCommand)(ref, argv, { maxOutputBytes: 1_000 });
      expect(result).toMatchObject({ exitCode: 0, truncated: true, stderr: "end\n" });
      expect(result.stdout).toBe("y\n".repeat(500));
    });

    test("values for the environment are the sandbox user's alone, and no commit takes them along", async () => {
      await provider().writeEnvFile(ref, { KEY: "first", OTHER: "x" });
      await provider().writeEnvFile(ref, { KEY: "it's $second" });
      const file = '"$HOME/.proliferate/env.json"';
      expect(JSON.parse(await shell(ref, `cat ${file}`))).toEqual({ KEY: "it's $second" });
      expect(await shell(ref, `stat -c %a ${file}`)).toBe("600");
      expect(await shell(ref, "git status --porcelain --ignored")).not.toContain("env");
    });

    test.runIf(can.tunnels)("tunnels lead to it", async () => {
      const tunnels = await must(provider().resolveTunnels)(ref);
      expect(
        await agentStatus({ opencode: { ...sandbox.opencode, baseUrl: tunnels.opencode } }),
      ).toBe(200);
      expect(new URL(tunnels.sidecar).origin).not.toBe(new URL(tunnels.opencode).origin);
      expect(new URL(tunnels.preview).origin).not.toBe(new URL(tunnels.opencode).origin);
    });

    test.runIf(can.serviceCommandTest)("commands of services are tried", async () => {
      const results = await must(provider().testServiceCommands)(ref, [
        { name: "good", command: "echo ready" },
        { name: "bad", command: "echo sorry >&2; exit 4" },
      ]);
      expect(results).toEqual([
        { name: "good", ok: true, exitCode: 0, output: "ready\n" },
        { name: "bad", ok: false, exitCode: 4, output: "sorry\n" },
      ]);
    });
  });
};

const textOfFile = (file: { readonly content: Uint8Array | null } | undefined): string =>
  Buffer.from(file?.content ?? []).toString();
