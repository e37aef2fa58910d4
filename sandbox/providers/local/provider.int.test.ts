import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import type { Repository } from "#contracts/repository";
import type { SandboxSpec } from "../../provider/spec.ts";
import { optionalMethods } from "../../provider/optional-methods.ts";
import { createProvider } from "../create-provider.ts";
import { openLocalProvider } from "./index.ts";
import { layoutOf } from "./layout.ts";
import { findSandboxProcesses } from "./processes.ts";
import { makeRepository } from "../../testing/repository.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "proliferate-local-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const refOf = (sessionId: SessionId) => ({ sessionId, sandboxId: null, snapshotId: null });

const specFor = (repository: Repository | null): SandboxSpec => ({
  repositories: repository ? [{ ...repository, path: "." }] : [],
  gateway: { url: "http://127.0.0.1:9", token: "sbx1.test.token" },
  model: {
    model: "anthropic/x",
    smallModel: "anthropic/x",
    baseUrl: "http://127.0.0.1:9",
    apiKey: "own-key",
  },
  instructions: "None.",
});

const open = (localRepositories: "allow" | "refuse") =>
  openLocalProvider({ dataDir, isolation: "none", localRepositories });

test.each([
  ["a server that is not there", { url: "http://ann:pa55word@127.0.0.1:1/x.git", ref: "HEAD" }],
  ["a transport that runs programs", { url: "ext::sh -c touch% pwned", ref: "HEAD" }],
])("a clone from %s fails its stage and tells no secret", async (_name, repository) => {
  const provider = await open("allow");
  const sessionId = newId("session");
  const failure = await provider
    .ensureSandbox({ ...refOf(sessionId), spec: specFor(repository) })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "sandbox_boot_failed", fields: { stage: "clone" } });
  expect(JSON.stringify([(failure as Error).message, failure])).not.toContain("pa55word");
  expect((await provider.health(refOf(sessionId))).state).toBe("gone");
  expect(await provider.checkSandboxes()).toEqual([]);
});

test("a branch that is not there fails the clone", async () => {
  const provider = await open("allow");
  const url = await makeRepository(path.join(dataDir, "fixture"));
  for (const ref of ["no-such-branch", "--orphan"]) {
    const boot = provider.ensureSandbox({
      ...refOf(newId("session")),
      spec: specFor({ url, ref }),
    });
    await expect(boot).rejects.toMatchObject({
      code: "sandbox_boot_failed",
      fields: { stage: "clone" },
    });
  }
});

test("a folder of this computer is not cloned where that is refused", async () => {
  const provider = await open("refuse");
  const url = await makeRepository(path.join(dataDir, "fixture"));
  for (const source of [url, path.join(dataDir, "fixture"), "ext::sh"]) {
    const sessionId = newId("session");
    const boot = provider.ensureSandbox({
      ...refOf(sessionId),
      spec: specFor({ url: source, ref: "HEAD" }),
    });
    await expect(boot).rejects.toMatchObject({ code: "sandbox_boot_failed" });
    expect((await provider.health(refOf(sessionId))).state).toBe("gone");
  }
});

test("a boot that is called off ends what it has started", async () => {
  const provider = await open("allow");
  const sessionId = newId("session");
  const calledOff = new AbortController();
  const boot = provider.ensureSandbox({
    ...refOf(sessionId),
    spec: specFor(null),
    signal: calledOff.signal,
    onStage: ({ stage }) => {
      if (stage === "agent_files") calledOff.abort();
    },
  });
  await expect(boot).rejects.toMatchObject({
    code: "sandbox_boot_failed",
    fields: { stage: "ready" },
  });
  expect(await findSandboxProcesses(layoutOf(dataDir, sessionId).id)).toEqual([]);
  expect((await provider.health(refOf(sessionId))).state).toBe("gone");
});

test("a session id cannot leave the folder", async () => {
  const provider = await open("allow");
  await expect(provider.terminate(refOf("../../etc" as never))).rejects.toMatchObject({
    code: "request_invalid",
  });
});

test("its methods are those that its capabilities promise", async () => {
  const provider = await open("allow");
  for (const [method, capability] of Object.entries(optionalMethods)) {
    expect([method, method in provider]).toEqual([method, provider.capabilities[capability]]);
  }
});

test.each(["docker", "constructor"])("there is no provider %s", async (type) => {
  const opened = createProvider(type, {});
  await expect(opened).rejects.toMatchObject({ code: "sandbox_provider_unknown" });
});
