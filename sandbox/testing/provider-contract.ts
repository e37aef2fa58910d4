/**
 * What every provider has to do, as tests. A harness brings a provider and a way to look behind it; what
 * is asked depends on the provider's capabilities, never on its name.
 */
import { randomBytes, randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import type { SandboxCapabilities } from "../provider/capabilities.ts";
import { SandboxProviderError } from "../provider/error.ts";
import { optionalMethods } from "../provider/optional-methods.ts";
import type { SandboxProvider } from "../provider/provider.ts";
import type { RunningSandbox, SandboxRef } from "../provider/sandbox.ts";
import type { SandboxSpec } from "../provider/spec.ts";

export interface ProviderHarness {
  /**
   * A provider on the same account or folder each time: two of them are a control plane before and after a
   * restart. The suite closes it.
   */
  open(): Promise<SandboxProvider>;
  /** As sandboxes reach it; with the branches `main` and `feature`, and `README.md` saying `on <branch>`. */
  readonly repositoryUrl: string;
  /** Ends the sandbox's processes behind the provider's back. */
  kill(sandbox: RunningSandbox): Promise<void>;
  /** What a sandbox has left behind: processes, folders and the like; empty when it is gone wholly. */
  leftovers(ref: SandboxRef): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ProviderContract {
  readonly type: string;
  /** Told before the provider is opened, since they decide which tests there are. */
  readonly capabilities: Omit<SandboxCapabilities, "isolated">;
  readonly harness: () => Promise<ProviderHarness>;
  /** Limit of one test in milliseconds; 120,000 by default. */
  readonly timeoutMs?: number;
}

const token = "sbx1.contract.token-of-this-sandbox";
const controlPlaneSecret = "the-control-planes-own-secret";
const patience = { timeout: 30_000, interval: 100 };

export const describeProvider = ({
  type,
  capabilities: can,
  harness: makeHarness,
  timeoutMs = 120_000,
}: ProviderContract): void => {
  describe(`the provider ${type}`, { timeout: timeoutMs }, () => {
    let harness: ProviderHarness;
    let provider: SandboxProvider;
    const seen: SessionId[] = [];

    const newRef = (): SandboxRef => {
      const sessionId = newId("session");
      seen.push(sessionId);
      return { sessionId, sandboxId: null, snapshotId: null };
    };
    const spec = (changes: Partial<SandboxSpec> = {}): SandboxSpec => ({
      repositories: [{ url: harness.repositoryUrl, ref: "feature", path: "." }],
      gateway: { url: "http://127.0.0.1:9", token },
      model: {
        model: "anthropic/claude-sonnet-4-6",
        smallModel: "anthropic/claude-haiku-4-5",
        baseUrl: "http://127.0.0.1:9/v1",
        apiKey: "the-sandboxes-own-key",
      },
      instructions: "Do as you are told.",
      environment: { COLOUR: "it's green" },
      ...changes,
    });
    const boot = async (ref: SandboxRef = newRef(), changes: Partial<SandboxSpec> = {}) => {
      const sandbox = await provider.ensureSandbox({ ...ref, spec: spec(changes) });
      return { sandbox, ref: refOf(sandbox) };
    };
    const shell = async (ref: SandboxRef, script: string): Promise<string> => {
      const result = await must(provider.execCommand)(ref, ["sh", "-c", script]);
      expect(result).toMatchObject({ exitCode: 0, timedOut: false });
      return result.stdout.trim();
    };

    beforeAll(async () => {
      vi.stubEnv("CONTROL_PLANE_SECRET", controlPlaneSecret);
      harness = await makeHarness();
      provider = await harness.open();
    }, timeoutMs);
    afterAll(async () => {
      for (const sessionId of seen) {
        await provider.terminate({ sessionId, sandboxId: null, snapshotId: null });
      }
      await provider[Symbol.asyncDispose]();
      await harness.close();
      vi.unstubAllEnvs();
    }, timeoutMs);

    test("has the methods that its capabilities promise, and no others", () => {
      expect(provider.type).toBe(type);
      expect(provider.capabilities).toMatchObject(can);
      for (const [method, capability] of Object.entries(optionalMethods)) {
        expect([method, method in provider]).toEqual([method, provider.capabilities[capability]]);
      }
    });

    test("makes a sandbox, finds it running, also after a restart, and ends it", async () => {
      const absent = newRef();
      expect((await provider.health(absent)).state).toBe("gone");
      const stages: string[] = [];
      const created = await provider.ensureSandbox({
        ...absent,
        spec: spec(),
        onStage: ({ stage }) => stages.push(stage),
      });
      expect(created).toMatchObject({
        origin: "created",
        sessionId: absent.sessionId,
        warnings: [],
      });
      expect(stages).toEqual(["folder", "launch", "clone", "agent_files", "ready"]);
      expect(await agentStatus(created)).toBe(200);
      expect(await agentStatus(created, "Basic d3Jvbmc6d3Jvbmc=")).toBe(401);
      const ref = refOf(created);
      expect(await provider.health(ref)).toEqual({ state: "running", agent: true, detail: null });

      const restarted = await harness.open();
      const attached = await restarted.ensureSandbox({ ...ref, spec: spec() });
      expect(attached).toMatchObject({ origin: "attached", sandboxId: created.sandboxId });
      expect(attached.opencode.authorization).toBe(created.opencode.authorization);
      expect(await agentStatus(attached)).toBe(200);
      // An owner that died before it could store the id.
      const unknown = await restarted.ensureSandbox({ ...absent, spec: spec() });
      expect(unknown).toMatchObject({ origin: "attached", sandboxId: created.sandboxId });

      await restarted.terminate(ref);
      await restarted.terminate(ref);
      await restarted[Symbol.asyncDispose]();
      expect((await provider.health(ref)).state).toBe("gone");
      expect(await harness.leftovers(ref)).toEqual([]);
      await expect(provider.writeEnvFile(ref, {})).rejects.toMatchObject({
        code: "sandbox_not_found",
      });
      await expect(provider.snapshot(ref)).rejects.toMatchObject({ code: "sandbox_not_found" });
    });

    test("ends what was never there", async () => {
      const ref = newRef();
      await provider.terminate(ref);
      await provider.terminate({ ...ref, sandboxId: "no-such-sandbox" });
      if (can.pause) await provider.pause(ref);
    });

    test("begins anew when the former sandbox is gone, and says so", async () => {
      const { ref } = await boot();
      await provider.terminate(ref);
      const { sandbox } = await boot(ref);
      expect(sandbox.origin).toBe("created");
      expect(sandbox.warnings.map(({ code }) => code)).toEqual(["resume_failed"]);
    });

    test("begins without a snapshot that is not there, and says so", async () => {
      const { sandbox } = await boot(newRef(), { snapshotId: "no-such-snapshot" });
      expect(sandbox.origin).toBe("created");
      expect(sandbox.warnings.map(({ code }) => code)).toEqual(["snapshot_unavailable"]);
      expect(await agentStatus(sandbox)).toBe(200);
    });

    test("leaves nothing when a boot is called off", async () => {
      const ref = newRef();
      const calledOff = new AbortController();
      const failing = provider.ensureSandbox({
        ...ref,
        spec: spec(),
        signal: calledOff.signal,
        onStage: ({ stage }) => {
          if (stage === "agent_files") calledOff.abort();
        },
      });
      await expect(failing).rejects.toMatchObject({
        code: "sandbox_boot_failed",
        fields: { stage: "ready", provider: type, operation: "ensureSandbox" },
      });
      expect((await provider.health(ref)).state).toBe("gone");
      expect(await harness.leftovers(ref)).toEqual([]);
    });

    test("tells no secret when a clone fails", async () => {
      const ref = newRef();
      const url = "http://ann:pa55w0rd@127.0.0.1:1/x.git";
      const credential = { username: "ann", password: "clone-t0ken-of-ann" };
      const error: unknown = await boot(ref, {
        repositories: [{ url, ref: "HEAD", path: ".", credential }],
      }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SandboxProviderError);
      expect(error).toMatchObject({ code: "sandbox_boot_failed", fields: { stage: "clone" } });
      const told = textOf(error);
      const encoded = Buffer.from(`ann:${credential.password}`).toString("base64");
      for (const secret of ["pa55w0rd", credential.password, encoded, token]) {
        expect(told).not.toContain(secret);
      }
      expect(await harness.leftovers(ref)).toEqual([]);
    });

    test("notices a sandbox that was killed from outside, and recovers it", async () => {
      const { sandbox, ref } = await boot();
      await harness.kill(sandbox);
      await vi.waitUntil(async () => !(await provider.health(ref)).agent, patience);
      const { sandbox: recovered } = await boot(ref);
      expect(recovered.origin).not.toBe("attached");
      expect(await agentStatus(recovered)).toBe(200);
    });

    test("makes a new sandbox in place of the one that is there", async () => {
      const { ref } = await boot();
      if (can.exec) await shell(ref, "echo old > old.txt");
      const created = await provider.createSandbox({ ...ref, spec: spec() });
      expect(created.origin).toBe("created");
      expect(await agentStatus(created)).toBe(200);
      if (can.readFiles) {
        const [old] = await must(provider.readFiles)(refOf(created), ["old.txt"]);
        expect(old?.content).toBeNull();
      }
    });

    test("keeps each repository in its place", async () => {
      const url = harness.repositoryUrl;
      const { ref } = await boot(newRef(), {
        repositories: [
          { url, ref: "HEAD", path: "apps/one" },
          { url, ref: "feature", path: "two" },
        ],
      });
      const [one, two] = await must(provider.readFiles)(ref, [
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
        const exec = must(provider.execCommand);
        await exec(ref, ["tee", "binary"], { stdin: binary, maxOutputBytes: 10 });
        await shell(ref, "yes 0123456789abcdef | tr -d '\\n' | head -c 10485760 > 'a large; file'");
        const paths = ["binary", `${sandbox.workspace}/a large; file`, "no/such", "README.md"];
        const files = await must(provider.readFiles)(ref, paths);
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
          const exec = must(provider.execCommand);
          const words = ["$HOME", "`id`", "it's", "a\nb", "*", ";", "|", "", "--help", "ä"];
          const echoed = await exec(ref, ["printf", "%s\\0", ...words]);
          expect(echoed.stdout.split("\0").slice(0, -1)).toEqual(words);
          const result = await exec(
            ref,
            ["sh", "-c", 'cat; echo "$GREETING" >&2; pwd >&2; exit 3'],
            { stdin: "from outside", env: { GREETING: "$hello 'there'" }, cwd: "/" },
          );
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
          const exec = must(provider.execCommand);
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
        const result = await must(provider.execCommand)(ref, argv, { maxOutputBytes: 1_000 });
        expect(result).toMatchObject({ exitCode: 0, truncated: true, stderr: "end\n" });
        expect(result.stdout).toBe("y\n".repeat(500));
      });

      test("values for the environment are the sandbox user's alone, and no commit takes them along", async () => {
        await provider.writeEnvFile(ref, { KEY: "first", OTHER: "x" });
        await provider.writeEnvFile(ref, { KEY: "it's $second" });
        const file = '"$HOME/.proliferate/env.json"';
        expect(JSON.parse(await shell(ref, `cat ${file}`))).toEqual({ KEY: "it's $second" });
        expect(await shell(ref, `stat -c %a ${file}`)).toBe("600");
        expect(await shell(ref, "git status --porcelain --ignored")).not.toContain("env");
      });

      test.runIf(can.tunnels)("tunnels lead to it", async () => {
        const tunnels = await must(provider.resolveTunnels)(ref);
        expect(
          await agentStatus({ opencode: { ...sandbox.opencode, baseUrl: tunnels.opencode } }),
        ).toBe(200);
        expect(new URL(tunnels.sidecar).origin).not.toBe(new URL(tunnels.opencode).origin);
        expect(new URL(tunnels.preview).origin).not.toBe(new URL(tunnels.opencode).origin);
      });

      test.runIf(can.serviceCommandTest)("commands of services are tried", async () => {
        const results = await must(provider.testServiceCommands)(ref, [
          { name: "good", command: "echo ready" },
          { name: "bad", command: "echo sorry >&2; exit 4" },
        ]);
        expect(results).toEqual([
          { name: "good", ok: true, exitCode: 0, output: "ready\n" },
          { name: "bad", ok: false, exitCode: 4, output: "sorry\n" },
        ]);
      });
    });

    test.runIf(can.check)("looks at sandboxes without touching them", async () => {
      const absent = newRef();
      const { ref: first } = await boot();
      const { ref: second } = await boot();
      if (can.pause) await provider.pause(second);
      const check = must(provider.checkSandboxes);
      const states = async () => (await check([second, absent, first])).map(({ state }) => state);
      const expected = [can.pause ? "paused" : "running", "gone", "running"];
      expect(await states()).toEqual(expected);
      const all = await check();
      const listed = all.filter(({ sessionId }) =>
        [first.sessionId, second.sessionId, absent.sessionId].includes(sessionId),
      );
      expect(listed.map(({ sandboxId }) => sandboxId).sort()).toEqual(
        [first.sandboxId, second.sandboxId].sort(),
      );
      await provider.health(second);
      expect(await states()).toEqual(expected);
    });

    test.runIf(can.pause)("goes on after a pause with the files that were there", async () => {
      const { ref } = await boot();
      await shell(ref, "echo kept > kept.txt");
      await provider.pause(ref);
      await provider.pause(ref);
      expect(await provider.health(ref)).toMatchObject({ state: "paused", agent: false });
      await expect(must(provider.execCommand)(ref, ["true"])).rejects.toMatchObject({
        code: "sandbox_not_found",
      });
      const { sandbox } = await boot(ref);
      expect(sandbox).toMatchObject({ origin: "resumed", sandboxId: ref.sandboxId, warnings: [] });
      expect(await agentStatus(sandbox)).toBe(200);
      expect(await shell(ref, "cat kept.txt")).toBe("kept");
    });

    test.runIf(!can.pause)("says that it cannot pause", async () => {
      await expect(provider.pause(newRef())).rejects.toMatchObject({
        code: "sandbox_pause_unsupported",
      });
    });

    test.runIf(can.snapshotPauses)("goes on from a snapshot that has paused it", async () => {
      const { ref } = await boot();
      await shell(ref, "echo kept > kept.txt");
      const snapshotId = await provider.snapshot(ref);
      expect((await provider.health(ref)).state).toBe("paused");
      const { sandbox, ref: again } = await boot({ ...ref, sandboxId: null, snapshotId });
      expect(sandbox.warnings).toEqual([]);
      expect(await shell(again, "cat kept.txt")).toBe("kept");
    });

    test.runIf(!can.snapshotPauses)("makes other sandboxes from a snapshot", async () => {
      const { ref } = await boot();
      await shell(ref, "echo kept > kept.txt; git checkout -q -b work; ln -s kept.txt link");
      const snapshotId = await provider.snapshot(ref);
      expect((await provider.health(ref)).agent).toBe(true);
      await shell(ref, "echo later > kept.txt");

      const { sandbox, ref: copy } = await boot(newRef(), { snapshotId });
      expect(sandbox).toMatchObject({ origin: "restored", warnings: [] });
      expect(sandbox.sandboxId).not.toBe(ref.sandboxId);
      expect(await agentStatus(sandbox)).toBe(200);
      expect(await shell(copy, "cat link; git branch --show-current")).toBe("kept\nwork");
      expect(await shell(ref, "cat kept.txt")).toBe("later");

      // The session's own snapshot goes before that of its configuration.
      await provider.terminate(ref);
      const { sandbox: own } = await boot({ ...newRef(), snapshotId }, { snapshotId: "no-such" });
      expect(own).toMatchObject({ origin: "restored", warnings: [] });
    });

    test.runIf(can.snapshotCatalogue)("lists snapshots and removes them", async () => {
      const { ref } = await boot();
      const list = async () =>
        (await must(provider.listSnapshots)()).filter(
          ({ sessionId }) => sessionId === ref.sessionId,
        );
      const snapshotId = await provider.snapshot(ref);
      expect((await list()).map((entry) => entry.snapshotId)).toEqual([snapshotId]);
      await must(provider.deleteSnapshot)(snapshotId);
      await must(provider.deleteSnapshot)(snapshotId);
      expect(await list()).toEqual([]);
    });

    test.runIf(can.memorySnapshot)("restores a snapshot of its memory", async () => {
      const { ref } = await boot();
      await shell(ref, "echo kept > kept.txt");
      const snapshotId = await must(provider.memorySnapshot)(ref);
      expect(snapshotId).toMatch(/^mem:/);
      await provider.terminate(ref);
      const restored = await must(provider.restoreFromMemorySnapshot)({
        ...ref,
        snapshotId,
        spec: spec(),
      });
      expect(await agentStatus(restored)).toBe(200);
      expect(await shell(refOf(restored), "cat kept.txt")).toBe("kept");
    });
  });
};

const refOf = ({ sessionId, sandboxId }: RunningSandbox): SandboxRef => ({
  sessionId,
  sandboxId,
  snapshotId: null,
});

const must = <T>(method: T | undefined): T => {
  if (method === undefined) throw new Error("The provider lacks a method that it promises.");
  return method;
};

const textOfFile = (file: { readonly content: Uint8Array | null } | undefined): string =>
  Buffer.from(file?.content ?? []).toString();

/** The status with which the agent's server answers. */
const agentStatus = async (
  { opencode }: Pick<RunningSandbox, "opencode">,
  authorization = opencode.authorization,
): Promise<number> => {
  const response = await fetch(new URL("/global/health", opencode.baseUrl), {
    headers: { authorization },
    signal: AbortSignal.timeout(30_000),
  });
  await response.body?.cancel();
  return response.status;
};

/** All that anybody could read of an error. */
const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const own = JSON.stringify(Object.fromEntries(Object.entries(error)));
  return [error.message, error.stack, own, error.cause ? textOf(error.cause) : ""].join("\n");
};
