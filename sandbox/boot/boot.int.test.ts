/** Booting real sandboxes of the local provider, with a stand-in for the agent's server only. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import type { StageReport } from "../provider/provider.ts";
import type { RunningSandbox, SandboxRef } from "../provider/sandbox.ts";
import type { SandboxSpec } from "../provider/spec.ts";
import { type LocalProvider, openLocalProvider } from "../providers/local/index.ts";
import { makeAgentStandIn } from "../testing/agent-stand-in.ts";
import { makeRepository } from "../testing/repository.ts";
import { snapshotWithoutSecrets } from "./snapshot.ts";

const patience = { timeout: 30_000, interval: 50 };
const run = promisify(execFile);

let folder: string;
let provider: LocalProvider;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "proliferate-boot-"));
  url = await makeRepository(path.join(folder, "repository"));
  provider = await openLocalProvider({
    dataDir: path.join(folder, "data"),
    isolation: "auto",
    localRepositories: "allow",
    opencodeBinary: await makeAgentStandIn(path.join(folder, "agent")),
  });
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

interface Booted {
  readonly ref: SandboxRef;
  readonly sandbox: RunningSandbox;
  /** The additional stages that are over. */
  readonly additional: StageReport[];
}

const newRef = (): SandboxRef => ({
  sessionId: newId("session"),
  sandboxId: null,
  snapshotId: null,
});

const boot = async (changes: Partial<SandboxSpec> = {}, ref = newRef()): Promise<Booted> => {
  const additional: StageReport[] = [];
  const sandbox = await provider.ensureSandbox({
    ...ref,
    spec: {
      repositories: [{ url, ref: "feature", path: "." }],
      gateway: { url: "http://127.0.0.1:9", token: "sbx1.boot.token" },
      model: { model: "anthropic/m", smallModel: "anthropic/s", baseUrl: null, apiKey: "own-key" },
      instructions: "Work.",
      ...changes,
    },
    onAdditionalStage: (report) => additional.push(report),
  });
  return { ref: { ...ref, sandboxId: sandbox.sandboxId }, sandbox, additional };
};

const shell = async (ref: SandboxRef, command: string): Promise<string> => {
  const { stdout } = await provider.execCommand(ref, ["sh", "-c", command]);
  return stdout.trim();
};
const tools = (ref: SandboxRef) => shell(ref, "cd .opencode/tool && ls *.ts");
const stageOf = ({ additional }: Booted, name: StageReport["stage"]): Promise<StageReport> =>
  vi.waitUntil(() => additional.find(({ stage }) => stage === name), patience);
const commitTo = async (file: string, content: string): Promise<void> => {
  const cwd = fileURLToPath(url);
  await writeFile(path.join(cwd, file), content);
  const author = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
  await run("git", [...author, "add", "."], { cwd });
  await run("git", [...author, "commit", "--quiet", "-m", file], { cwd });
};

it("checks out the default branch where there is none of the name, and says so", async () => {
  const { ref, sandbox } = await boot({ repositories: [{ url, ref: "no/such", path: "." }] });
  expect(sandbox.warnings).toEqual([
    { code: "branch_missing", message: expect.stringContaining('"no/such"') as unknown },
  ]);
  expect(await shell(ref, "git branch --show-current")).toBe("main");
});

it("gives each kind of session its tools, also in files that another kind has left, and hides them from git", async () => {
  const setup = await boot({ kind: "setup" });
  expect(await tools(setup.ref)).toContain("save_service_commands.ts");
  expect(await shell(setup.ref, "git status --porcelain")).toBe("");
  expect(await shell(setup.ref, "cat .proliferate/actions-guide.md")).toContain("actions run");
  // Not scrubbed, as if by a control plane of before.
  const snapshotId = await provider.snapshot(setup.ref);
  const coding = await boot({ kind: "coding", snapshotId });
  expect(coding.sandbox.origin).toBe("restored");
  expect(await tools(coding.ref)).toBe("request_env_variables.ts\nsave_snapshot.ts");
});

it("takes a snapshot without secrets and tools, and leaves the sandbox as it was", async () => {
  const { ref } = await boot({ kind: "setup" });
  await provider.writeEnvFile(ref, { TOKEN: "hunter2-token" });
  const before = await tools(ref);
  const snapshotId = await snapshotWithoutSecrets(provider, ref, { kind: "setup" });
  expect(await shell(ref, 'cat "$HOME/.proliferate/env.json"')).toContain("hunter2-token");
  expect(await tools(ref)).toBe(before);
  const kept = path.join(folder, "data", "snapshots", snapshotId);
  const found = await run("grep", ["-rlE", "hunter2-token|tool_call_id", kept]).then(
    ({ stdout }) => stdout,
    () => "", // Grep ends with 1 when there is nothing.
  );
  // The command inside is not the agent's tool.
  expect(found.split("\n").filter((file) => file !== "" && !file.endsWith(".mjs"))).toEqual([]);
});

it("sets the author of commits, whatever is in the name", async () => {
  const name = `Ann "; touch pwned; $(touch pwned) 'x`;
  const booted = await boot({ gitIdentity: { name, email: "ann@example.org" } });
  expect(await stageOf(booted, "git_identity")).toMatchObject({ outcome: "done", detail: null });
  expect(await shell(booted.ref, "git config user.name")).toBe(name);
  expect(await shell(booted.ref, "ls pwned 2>/dev/null")).toBe("");
});

it("pulls what comes back, tells what it could not pull, and then tries again next time", async () => {
  const repositories = [{ url, ref: "main", path: "." }];
  const freshness = { cadenceSeconds: 3600 };
  const lastFetch = (ref: SandboxRef) => shell(ref, 'cat "$HOME/.proliferate/metadata.json"');
  const outdate = (ref: SandboxRef) =>
    shell(ref, `echo '{"version":1,"lastGitFetchAt":1}' > "$HOME/.proliferate/metadata.json"`);

  const first = await boot({ repositories, freshness });
  expect(await stageOf(first, "freshness")).toMatchObject({ outcome: "skipped" });
  const { ref } = first;
  await commitTo("news.txt", "one\n");
  await provider.pause(ref);
  const soon = await boot({ repositories, freshness }, ref);
  expect(await stageOf(soon, "freshness")).toMatchObject({ outcome: "skipped" });

  await outdate(ref);
  await shell(ref, "echo mine > news.txt");
  await provider.pause(ref);
  const hindered = await boot({ repositories, freshness }, ref);
  expect(await stageOf(hindered, "freshness")).toMatchObject({
    outcome: "failed",
    detail: expect.stringContaining("was not pulled") as unknown,
  });
  expect(await lastFetch(ref)).toContain('"lastGitFetchAt":1}');
  expect(await shell(ref, "cat news.txt")).toBe("mine");

  await shell(ref, "rm news.txt");
  await provider.pause(ref);
  const pulled = await boot({ repositories, freshness }, ref);
  expect(await stageOf(pulled, "freshness")).toMatchObject({ outcome: "done" });
  expect(await shell(ref, "cat news.txt")).toBe("one");
  expect(await lastFetch(ref)).not.toContain('"lastGitFetchAt":1}');
});
