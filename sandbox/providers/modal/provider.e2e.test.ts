import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { newId } from "#contracts/ids";
import { findOpencodeBinary } from "../../opencode/binary.ts";
import type { RunningSandbox } from "../../provider/sandbox.ts";
import { openModalEmulator, type ModalEmulator } from "../../testing/modal-emulator/index.ts";
import { makeRepository } from "../../testing/repository.ts";
import { providerOn } from "./testing/provider-on.ts";

describe("the real OpenCode in an emulated Modal sandbox", { timeout: 300_000 }, () => {
  let folder: string;
  let emulator: ModalEmulator;
  let provider: ReturnType<typeof providerOn>;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "modal-opencode-"));
    emulator = await openModalEmulator({ programs: { opencode: await findOpencodeBinary() } });
    provider = providerOn(emulator);
  });
  afterAll(async () => {
    await provider[Symbol.asyncDispose]();
    await emulator[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (
    { opencode }: RunningSandbox,
    method: string,
    route: string,
    body?: object,
  ) => {
    const response = await fetch(new URL(route, opencode.baseUrl), {
      method,
      headers: { authorization: opencode.authorization, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return z.object({ id: z.string(), directory: z.string() }).parse(await response.json());
  };

  it("works in the clone, and its conversations are there after files and after memory", async () => {
    const url = await makeRepository(path.join(folder, "repository"));
    const ref = { sessionId: newId("session"), sandboxId: null, snapshotId: null };
    const spec = {
      repositories: [{ url, ref: "feature", path: "." }],
      gateway: { url: "http://127.0.0.1:9", token: "sbx1.of.this" },
      model: {
        model: "anthropic/claude-sonnet-4-6",
        smallModel: "anthropic/claude-haiku-4-5",
        baseUrl: "http://127.0.0.1:9/v1",
        apiKey: "none",
      },
      instructions: "None.",
    };
    const made = await provider.ensureSandbox({ ...ref, spec });
    const conversation = await ask(made, "POST", "/session", { title: "kept" });
    expect(conversation.directory).toBe(made.workspace);

    const snapshotId = await provider.snapshot(ref);
    await provider.terminate(ref);
    const restored = await provider.ensureSandbox({ ...ref, snapshotId, spec });
    expect(await ask(restored, "GET", `/session/${conversation.id}`)).toEqual(conversation);

    const memory = await provider.memorySnapshot(ref);
    const back = await provider.restoreFromMemorySnapshot({ ...ref, snapshotId: memory, spec });
    expect(await ask(back, "GET", `/session/${conversation.id}`)).toEqual(conversation);
    expect(await provider.health(ref)).toEqual({
      state: "running",
      agent: "answers",
      detail: null,
    });
    await provider.terminate(ref);
    expect(emulator.running()).toEqual([]);
  });
});
