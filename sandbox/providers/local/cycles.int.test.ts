import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pLimit from "p-limit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newId } from "#contracts/ids";
import { makeAgentStandIn } from "../../testing/agent-stand-in.ts";
import { openLocalProvider } from "./index.ts";
import { findSandboxProcesses } from "./processes.ts";
import { killIfThere } from "./testing/kill-if-there.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "proliferate-cycles-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Processes that belong to any sandbox below this folder, by their HOME. */
const processesBelow = async (dataDir: string): Promise<string[]> => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  // Gone by now, or somebody else's: not ours.
  const environments = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")),
  );
  return pids.filter((_, index) => environments[index]?.includes(`HOME=${dataDir}`));
};

/**
 * Two hundred lives of sandboxes, with real processes and a stand-in for the agent (a real one starts too
 * slowly for this). A port is held by a process: where none is left, no port is.
 */
test("200 sandboxes, however they end, leave no process and no folder", async () => {
  const dataDir = path.join(folder, "data");
  const provider = await openLocalProvider({
    dataDir,
    isolation: "auto",
    localRepositories: "refuse",
    opencodeBinary: await makeAgentStandIn(path.join(folder, "agent")),
  });
  const spec = {
    repositories: [],
    gateway: { url: "http://127.0.0.1:9", token: "sbx1.test.token" },
    model: {
      model: "anthropic/x",
      smallModel: "anthropic/x",
      baseUrl: "http://127.0.0.1:9",
      apiKey: "own-key",
    },
    instructions: "None.",
  };

  const cycle = async (index: number): Promise<string> => {
    const ref = { sessionId: newId("session"), sandboxId: null, snapshotId: null };
    if (index % 10 === 0) {
      const calledOff = new AbortController();
      const last = index % 20 === 0 ? "launch" : "clone";
      const onStage = ({ stage }: { readonly stage: string }) => {
        if (stage === last) calledOff.abort();
      };
      const boot = provider.ensureSandbox({ ...ref, spec, onStage, signal: calledOff.signal });
      return boot.then(
        () => "booted",
        () => "called off",
      );
    }
    const { sandboxId } = await provider.ensureSandbox({ ...ref, spec });
    if (index % 10 === 1) {
      await provider.execCommand(ref, ["sh", "-c", "setsid sleep 86400 & setsid sleep 86400 &"]);
    } else if (index % 10 === 2) {
      for (const { pid } of await findSandboxProcesses(sandboxId)) killIfThere(pid);
    } else if (index % 10 === 3) {
      await provider.pause(ref);
    }
    await provider.terminate(ref);
    return "ended";
  };

  const limit = pLimit(4);
  const ends = await limit.map(
    Array.from({ length: 200 }, (_, index) => index),
    cycle,
  );
  expect(ends.filter((end) => end === "ended")).toHaveLength(180);
  expect(ends.filter((end) => end === "called off")).toHaveLength(20);
  expect(await processesBelow(dataDir)).toEqual([]);
  expect(await readdir(path.join(dataDir, "sandboxes"))).toEqual([]);
  expect(await provider.checkSandboxes()).toEqual([]);
  await provider[Symbol.asyncDispose]();
}, 900_000);
