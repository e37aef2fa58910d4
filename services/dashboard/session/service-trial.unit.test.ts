import { expect, it } from "vitest";
import type { LiveMessage } from "#contracts/live/messages";
import { foldTrial, type ServiceTrial } from "./service-trial.ts";

type Message = Parameters<typeof foldTrial>[1];
const fold = (...messages: readonly Message[]): ServiceTrial | null =>
  messages.reduce<ServiceTrial | null>(foldTrial, null);

const service = (name: string, status: "running" | "failed" = "running") => ({
  ...{ name, status, detail: null },
  exitCode: status === "failed" ? 3 : null,
});
const output = (name: string, lines: string[], requestId = "one") =>
  ({
    ...{ type: "auto_start_output", requestId, lines, truncated: false },
    service: service(name),
  }) satisfies LiveMessage;
const finished = {
  ...{ type: "auto_start_finished", requestId: "one", failure: null },
  services: [service("web"), service("worker", "failed")],
} satisfies LiveMessage;

it("collects what each service prints, in their order, and how they end", () => {
  const trial = fold(
    output("web", ["up"]),
    output("worker", []),
    output("web", ["ready"]),
    finished,
  );
  expect(trial).toMatchObject({
    over: true,
    services: [
      { name: "web", status: "running", lines: ["up", "ready"] },
      { name: "worker", status: "failed", exitCode: 3, lines: [] },
    ],
  });
});

it("begins anew with another trial, and keeps the newest lines", () => {
  const trial = fold(output("web", ["old"]), finished, output("web", ["new"], "two"));
  expect(trial).toMatchObject({ over: false, services: [{ name: "web", lines: ["new"] }] });
  const lines = Array.from({ length: 250 }, (_, index) => `line ${index}`);
  const [noisy] = fold(output("web", lines))?.services ?? [];
  expect(noisy).toMatchObject({ truncated: true });
  expect(noisy?.lines).toHaveLength(200);
  expect(noisy?.lines.at(-1)).toBe("line 249");
});
