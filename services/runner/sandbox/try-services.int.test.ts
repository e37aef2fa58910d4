/** Trials with a real sidecar and real processes. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ServiceCommand } from "#contracts/session/service-command";
import {
  type SidecarHarness,
  startSidecarHarness,
  testToken,
} from "#sandbox/agent/testing/sidecar-harness";
import { sidecarServices, type SidecarServices } from "./sidecar-services.ts";
import { type Trial, tryServices } from "./try-services.ts";

type Told = Parameters<Trial["tell"]>[0];

const forEver = 3_600_000;

let harness: SidecarHarness;
let sidecar: SidecarServices;
beforeAll(async () => {
  harness = await startSidecarHarness();
  sidecar = sidecarServices({ url: `http://127.0.0.1:${harness.port()}`, token: testToken });
});
afterAll(async () => {
  for (const name of ["web", "noisy"]) {
    await harness.call({ method: "DELETE", path: `/api/services/${name}` });
  }
  await harness.close();
});

/** Tries services until something is told that is enough; answers all that was told. */
const tryUntil = async (
  commands: readonly ServiceCommand[],
  isEnough: (told: Told) => boolean,
): Promise<readonly Told[]> => {
  const all: Told[] = [];
  const enough = new AbortController();
  const tell = (told: Told): void => {
    all.push(told);
    if (isEnough(told)) enough.abort();
  };
  const trial = { commands, trialMs: forEver, tell, signal: enough.signal };
  await expect(tryServices(sidecar, trial)).rejects.toThrow();
  expect(enough.signal.aborted).toBe(true);
  return all;
};
const linesOf = (told: readonly Told[]): string[] => told.flatMap(({ lines }) => lines);

it("says of each service how it has done, and is over when there is nothing to wait for", async () => {
  const told: Told[] = [];
  const services = await tryServices(sidecar, {
    commands: [
      { name: "once", command: "echo one; echo two" },
      { name: "broken", command: "echo oh no; exit 3" },
      { name: "a b", command: "true" },
      { name: "lost", command: "true", cwd: "nowhere" },
    ],
    trialMs: forEver,
    tell: (one) => told.push(one),
    signal: new AbortController().signal,
  });
  const detail = expect.stringMatching(/./) as unknown;
  expect(services).toEqual([
    { name: "once", status: "ended", exitCode: 0, detail: null },
    { name: "broken", status: "failed", exitCode: 3, detail: null },
    { name: "a b", status: "failed", exitCode: null, detail },
    { name: "lost", status: "failed", exitCode: null, detail },
  ]);
  const of = (name: string) => linesOf(told.filter(({ service }) => service.name === name));
  expect(of("once").slice(0, 2)).toEqual(["one", "two"]);
  expect(of("broken")).toContain("oh no");
});

it("starts a service afresh, and tells nothing of what it has printed before", async () => {
  const commands = [{ name: "web", command: "echo up $$; exec sleep 1000" }];
  const isUp = ({ lines }: Told): boolean => lines.some((line) => line.startsWith("up "));
  const [first] = linesOf(await tryUntil(commands, isUp));
  const again = linesOf(await tryUntil(commands, isUp));
  expect(again).toHaveLength(1);
  expect(again).not.toContain(first);
  const running = await sidecar.list(new AbortController().signal);
  expect(running.filter(({ name }) => name === "web")).toMatchObject([
    { status: "running", pid: Number(again[0]?.slice(3)) },
  ]);
});

it("tells so much of what a service prints, and no more", async () => {
  const command = "head -c 5000 /dev/zero | tr '\\0' x; echo; seq 2000; exec sleep 1000";
  const told = await tryUntil([{ name: "noisy", command }], ({ truncated }) => truncated);
  const lines = linesOf(told);
  expect(lines).toHaveLength(500);
  expect(lines.slice(0, 3)).toEqual(["x".repeat(2_000), "1", "2"]);
  expect(Math.max(...told.map((one) => one.lines.length))).toBeLessThanOrEqual(100);
});
