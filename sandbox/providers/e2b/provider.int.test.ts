/** What is particular about E2B, beside the contract of all providers. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { isDomainError } from "#contracts/errors";
import { newId } from "#contracts/ids";
import type { RunningSandbox, SandboxRef } from "../../provider/sandbox.ts";
import type { SandboxSpec } from "../../provider/spec.ts";
import { openE2bProvider, type E2bProvider } from "./index.ts";
import { openEmulatedAccount, type EmulatedAccount } from "./testing/emulated-account.ts";

const patience = { timeout: 30_000, interval: 50 };
const serverError = { kind: "refuse", status: 500, message: "broken" } as const;
/** The first try and three more. */
const tries = 4;

let account: EmulatedAccount;
let provider: E2bProvider;
beforeAll(async () => {
  account = await openEmulatedAccount();
});
beforeEach(() => {
  provider = openE2bProvider(account.settings);
});
afterEach(async () => {
  await provider[Symbol.asyncDispose]();
  await Promise.all(account.emulator.sandboxes.list().map((sandbox) => sandbox.kill()));
});
afterAll(() => account[Symbol.asyncDispose]());

const newRef = (): SandboxRef => ({
  sessionId: newId("session"),
  sandboxId: null,
  snapshotId: null,
});
const refOf = ({ sessionId, sandboxId }: RunningSandbox): SandboxRef => ({
  sessionId,
  sandboxId,
  snapshotId: null,
});
const spec = (changes: Partial<SandboxSpec> = {}): SandboxSpec => ({
  repositories: [],
  gateway: { url: "http://127.0.0.1:9", token: "sbx1.token.of-this-sandbox" },
  model: {
    model: "anthropic/claude-sonnet-4-6",
    smallModel: "anthropic/claude-haiku-4-5",
    baseUrl: null,
    apiKey: "the-sandboxes-own-key",
  },
  instructions: "Do as you are told.",
  environment: { COLOUR: "green" },
  ...changes,
});
const boot = async (ref = newRef(), changes: Partial<SandboxSpec> = {}) => {
  const sandbox = await provider.ensureSandbox({ ...ref, spec: spec(changes) });
  return { sandbox, ref: refOf(sandbox) };
};
const shell = async (ref: SandboxRef, script: string): Promise<string> =>
  (await provider.execCommand(ref, ["sh", "-c", script])).stdout.trim();
const serverProcess = (ref: SandboxRef) => shell(ref, "cat ~/.proliferate/run/opencode.pid");
const emulated = (ref: SandboxRef) => {
  const found = account.emulator.sandboxes.get(ref.sandboxId ?? "");
  if (!found) throw new Error("There is no such sandbox.");
  return found;
};
const failTimes = (times: number, call: RegExp) => {
  for (let time = 0; time < times; time += 1) account.emulator.faults.next(call, serverError);
};

describe("waking", () => {
  test("goes on with the same processes, also after E2B has paused by itself", async () => {
    const { ref, sandbox: first } = await boot();
    const before = await serverProcess(ref);
    emulated(ref).setTimeout(0);
    await vi.waitUntil(() => emulated(ref).state() === "paused", patience);
    const { sandbox } = await boot(ref);
    expect(sandbox).toMatchObject({ origin: "resumed", warnings: [], opencode: first.opencode });
    expect(await serverProcess(ref)).toBe(before);
  });

  test("tells the sandbox its environment anew, and restarts the server if it changed", async () => {
    const { ref } = await boot();
    const before = await serverProcess(ref);
    await provider.pause(ref);
    await boot(ref, { environment: { COLOUR: "deep blue", SHAPE: "it's round" } });
    expect(await shell(ref, 'echo "$COLOUR, $SHAPE"')).toBe("deep blue, it's round");
    const after = await serverProcess(ref);
    expect(after).not.toBe(before);
    const [pid] = after.split(" ");
    const environment = await shell(ref, `tr '\\0' '\\n' < /proc/${pid}/environ`);
    expect(environment).toContain("COLOUR=deep blue\n");
  });

  test("takes the files alone when the memory cannot be had", async () => {
    const { ref } = await boot();
    await shell(ref, "echo kept > kept.txt");
    await provider.pause(ref);
    failTimes(tries, /connect$/);
    const { sandbox } = await boot(ref);
    expect(sandbox).toMatchObject({ origin: "resumed", sandboxId: ref.sandboxId, warnings: [] });
    expect(await shell(ref, "cat kept.txt")).toBe("kept");
  });

  test("falls back to a new sandbox with a warning, and leaves the old one as it is", async () => {
    const { ref } = await boot();
    await provider.pause(ref);
    failTimes(2 * tries, /connect$/);
    const { sandbox } = await boot(ref);
    expect(sandbox.origin).toBe("created");
    expect(sandbox.warnings.map(({ code }) => code)).toEqual(["resume_failed"]);
    expect(sandbox.sandboxId).not.toBe(ref.sandboxId);
    expect(emulated(ref).state()).toBe("paused");
    await provider.terminate(refOf(sandbox));
    expect(account.emulator.sandboxes.list()).toEqual([]);
  });

  test("does not give the work up for a rate limit", async () => {
    const { ref } = await boot();
    await provider.pause(ref);
    const limit = { kind: "refuse", status: 429, message: "slow down" } as const;
    account.emulator.faults.next(/connect$/, limit);
    await expect(boot(ref)).rejects.toMatchObject({
      code: "sandbox_unavailable",
      fields: { reason: "rate_limited", status: 429, operation: "ensureSandbox" },
    });
    expect(account.emulator.sandboxes.list()).toHaveLength(1);
    expect((await boot(ref)).sandbox.origin).toBe("resumed");
  });
});

test("looking at sandboxes only reads: no call wakes or renews one", async () => {
  const { ref } = await boot();
  await provider.pause(ref);
  const before = account.emulator.calls.length;
  expect(await provider.checkSandboxes([ref])).toMatchObject([{ state: "paused" }]);
  expect(await provider.checkSandboxes()).toMatchObject([{ state: "paused" }]);
  expect(account.emulator.calls.slice(before)).toEqual(["GET /v2/sandboxes", "GET /v2/sandboxes"]);
  expect((await provider.health(ref)).state).toBe("paused");
  const made = account.emulator.calls.slice(before);
  expect(made.filter((call) => !call.startsWith("GET "))).toEqual([]);
});

test("sandboxes of other control planes with the same account are not its own", async () => {
  const { ref } = await boot();
  const other = openE2bProvider({ ...account.settings, namespace: "other" });
  expect(await other.checkSandboxes()).toEqual([]);
  expect((await other.health(ref)).state).toBe("gone");
  await other[Symbol.asyncDispose]();
});

test("a sandbox whose making was never answered is found and used", async () => {
  account.emulator.faults.next(/^POST \/v2\/sandboxes$/, { kind: "lose_answer" });
  const ref = newRef();
  await expect(boot(ref)).rejects.toMatchObject({
    code: "sandbox_unavailable",
    fields: { reason: "connection" },
  });
  const [orphan] = account.emulator.sandboxes.list();
  const { sandbox } = await boot(ref);
  expect(sandbox).toMatchObject({ sandboxId: orphan?.id, origin: "created", warnings: [] });
});

describe("a snapshot", () => {
  test("is one template, however many sessions begin with it, and none is left once it is removed", async () => {
    const { ref: setup } = await boot();
    const before = await serverProcess(setup);
    const snapshotId = await provider.snapshot(setup);
    expect(account.emulator.sandboxes.snapshots()).toEqual([snapshotId]);
    expect(await serverProcess(setup)).toBe(before);
    await provider.terminate(setup);
    const { sandbox: first, ref } = await boot(newRef(), { snapshotId });
    const { sandbox: second, ref: other } = await boot(newRef(), { snapshotId });
    expect([first.origin, second.origin]).toEqual(["restored", "restored"]);
    expect(account.emulator.sandboxes.snapshots()).toEqual([snapshotId]);
    await provider.terminate(ref);
    await provider.terminate(other);
    await provider.deleteSnapshot(snapshotId);
    expect(account.emulator.sandboxes.snapshots()).toEqual([]);
  });

  test("that fails leaves a paused sandbox paused", async () => {
    const { ref } = await boot();
    await provider.pause(ref);
    account.emulator.faults.next(/snapshots$/, serverError);
    await expect(provider.snapshot(ref)).rejects.toMatchObject({ fields: { status: 500 } });
    expect(emulated(ref).state()).toBe("paused");
    expect(account.emulator.sandboxes.snapshots()).toEqual([]);
  });
});

describe("a command", () => {
  test("whose connection breaks is neither lost nor run twice", async () => {
    const { ref } = await boot();
    account.emulator.faults.next(/Process\/Start$/, { kind: "cut_stream" });
    const script = "echo once >> runs.txt; sleep 0.5; echo done; exit 7";
    const result = await provider.execCommand(ref, ["sh", "-c", script]);
    expect(result).toMatchObject({ exitCode: 7, stdout: "done\n" });
    expect(await shell(ref, "cat runs.txt")).toBe("once");
  });

  test("that was never started is an error", async () => {
    const { ref } = await boot();
    account.emulator.faults.next(/Process\/Start$/, { kind: "drop" });
    const failing = provider.execCommand(ref, ["touch", "started"]);
    await expect(failing).rejects.toMatchObject({ code: "sandbox_unavailable" });
    expect(await shell(ref, "ls")).toBe("");
  });

  test("that is called off ends with all that it started", async () => {
    const { ref } = await boot();
    const calledOff = new AbortController();
    const { signal } = calledOff;
    const script = "ps -o pgid= -p $$ > group; sleep 86400 & sleep 86400";
    const running = provider.execCommand(ref, ["sh", "-c", script], { signal });
    const started = async () => (await shell(ref, "cat group 2>/dev/null || true")) !== "";
    await vi.waitUntil(started, patience);
    const left = () => shell(ref, 'ps -eo pgid= | grep -cxF "$(cat group)" || true');
    expect(Number(await left())).toBeGreaterThan(1);
    calledOff.abort(new Error("no longer wanted"));
    await expect(running).rejects.toThrow("no longer wanted");
    await vi.waitUntil(async () => (await left()) === "0", patience);
  });
});

describe("errors of E2B", () => {
  const making = /^POST \/v2\/sandboxes$/;

  test.each([
    { status: 400, code: "sandbox_provider_failed", reason: "failed" },
    { status: 404, code: "sandbox_not_found", reason: "not_found" },
    { status: 429, code: "sandbox_unavailable", reason: "rate_limited" },
    { status: 500, code: "sandbox_provider_failed", reason: "failed" },
    { status: 503, code: "sandbox_unavailable", reason: "busy" },
  ])("with status $status are named, and told without secrets", async (expected) => {
    const { status, code, reason } = expected;
    const message = `${account.settings.apiKey} has had enough`;
    account.emulator.faults.next(making, { kind: "refuse", status, message });
    const error = await boot().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code,
      fields: { reason, provider: "e2b", operation: "ensureSandbox" },
    });
    expect(String((error as Error).stack)).toContain("has had enough");
    expect(String((error as Error).stack)).not.toContain(account.settings.apiKey);
    expect(account.emulator.sandboxes.list()).toEqual([]);
  });

  test("a refused key is said to be one", async () => {
    const stranger = openE2bProvider({ ...account.settings, apiKey: "e2b_ffffffffffffffff" });
    const error = await stranger.checkSandboxes().catch((thrown: unknown) => thrown);
    expect(isDomainError(error, "sandbox_provider_failed")).toBe(true);
    expect(error).toMatchObject({ fields: { reason: "unauthorized" } });
    expect((error as Error).message).toContain("API key");
    await stranger[Symbol.asyncDispose]();
  });

  test("an answer that does not come is given up", async () => {
    const hasty = openE2bProvider({ ...account.settings, requestTimeoutMs: 500 });
    account.emulator.faults.next(/^GET \/v2\/sandboxes$/, { kind: "delay", ms: 3_600_000 });
    await expect(hasty.checkSandboxes()).rejects.toMatchObject({
      code: "sandbox_unavailable",
      fields: { reason: "timeout" },
    });
    await hasty[Symbol.asyncDispose]();
  });

  test("reading goes on over a broken connection", async () => {
    const { ref } = await boot();
    account.emulator.faults.next(/^GET /, { kind: "drop" });
    account.emulator.faults.next(/^GET /, serverError);
    expect((await provider.health(ref)).state).toBe("running");
  });
});
