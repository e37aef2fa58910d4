/**
 * What the local provider adds to what it cannot do without: a boot beside a bare `opencode serve`, each
 * measured in turn so that both see the same machine, and snapshots of a workspace of 200 MB.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import getPort from "get-port";
import { newId } from "#contracts/ids";
import { findOpencodeBinary } from "../opencode/binary.ts";
import type { SandboxRef } from "../provider/sandbox.ts";
import type { SandboxSpec } from "../provider/spec.ts";
import { openLocalProvider, type LocalProvider } from "../providers/local/index.ts";

const rounds = 5;
const workspaceMb = 200;

export interface SandboxFigures {
  /** Medians in milliseconds. */
  readonly bareServeMs: number;
  readonly bootMs: number;
  /** Median of the differences of neighbours. */
  readonly bootOverheadMs: number;
  readonly snapshotMs: number;
  /** From nothing to a sandbox that answers, with the files of the snapshot, less a boot. */
  readonly restoreMs: number;
}

export const benchSandbox = async (dataDir: string): Promise<SandboxFigures> => {
  await using provider = await openLocalProvider({
    dataDir: path.join(dataDir, "provider"),
    isolation: "auto",
    localRepositories: "refuse",
  });
  const binary = await findOpencodeBinary();
  // The first of each unpacks and caches things.
  await bareServe(binary, path.join(dataDir, "bare"));
  await timedBoot(provider);

  const bare: number[] = [];
  const boots: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await bareServe(binary, path.join(dataDir, "bare")));
    boots.push(await timedBoot(provider));
  }
  const overheads = boots.map((boot, round) => boot - (bare[round] ?? 0));
  const snapshots = await benchSnapshots(provider, median(boots));
  return {
    bareServeMs: median(bare),
    bootMs: median(boots),
    bootOverheadMs: median(overheads),
    ...snapshots,
  };
};

const benchSnapshots = async (provider: LocalProvider, bootMs: number) => {
  const ref = newRef();
  await provider.ensureSandbox({ ...ref, spec });
  // A thousand files: what a checkout looks like, and not one block.
  const script = `for n in $(seq 1000); do head -c ${workspaceMb * 1000} /dev/urandom > file-$n; done`;
  await provider.execCommand(ref, ["sh", "-c", script], { timeoutMs: 600_000 });
  const taken: number[] = [];
  const restored: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const [snapshotId, snapshotMs] = await timed(() => provider.snapshot(ref));
    const copy = newRef();
    const [, ms] = await timed(() => provider.ensureSandbox({ ...copy, snapshotId, spec }));
    taken.push(snapshotMs);
    restored.push(Math.max(0, ms - bootMs));
    await provider.terminate(copy);
    await provider.deleteSnapshot(snapshotId);
  }
  await provider.terminate(ref);
  return { snapshotMs: median(taken), restoreMs: median(restored) };
};

const timedBoot = async (provider: LocalProvider): Promise<number> => {
  const ref = newRef();
  const [, ms] = await timed(() => provider.ensureSandbox({ ...ref, spec }));
  await provider.terminate(ref);
  return ms;
};

/** The floor: the same program, asked for its health without a pause, in a folder that it knows. */
const bareServe = async (binary: string, folder: string): Promise<number> => {
  await mkdir(folder, { recursive: true });
  const port = await getPort({ host: "127.0.0.1" });
  const [child, ms] = await timed(async () => {
    const server = spawn(binary, ["serve", "--hostname", "127.0.0.1", "--port", String(port)], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, OPENCODE_DISABLE_MODELS_FETCH: "1" },
      stdio: "ignore",
    });
    while (!(await answers(port))) await delay(10);
    return server;
  });
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  return ms;
};

/** A request that comes while the server opens its port may never be answered: another one is. */
const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/global/health`, { signal: AbortSignal.timeout(100) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false, // Not listening yet, or not answering.
  );

const newRef = (): SandboxRef => ({
  sessionId: newId("session"),
  sandboxId: null,
  snapshotId: null,
});

const spec: SandboxSpec = {
  repositories: [],
  gateway: { url: "http://127.0.0.1:9", token: "sbx1.bench.token" },
  model: {
    model: "anthropic/claude-sonnet-4-6",
    smallModel: "anthropic/claude-haiku-4-5",
    baseUrl: "http://127.0.0.1:9/v1",
    apiKey: "the-sandboxes-own-key",
  },
  instructions: "None.",
};

const timed = async <T>(run: () => Promise<T>): Promise<[T, number]> => {
  const startedAt = performance.now();
  const result = await run();
  return [result, Math.round(performance.now() - startedAt)];
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
