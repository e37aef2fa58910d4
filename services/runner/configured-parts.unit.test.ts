import { expect, it } from "vitest";
import { evolveSession } from "../sessions/aggregate/evolve.ts";
import type { ExistingSession, SessionState } from "../sessions/aggregate/state.ts";
import { applied, created } from "../sessions/testing/session-events.ts";
import { configuredParts } from "./configured-parts.ts";

const none: SessionState = { status: "none" };
const scratch = evolveSession(none, created) as ExistingSession;
const configured = evolveSession(scratch, {
  type: "ConfigurationApplied",
  data: applied,
}) as ExistingSession;

it("a sandbox has the snapshot, env files and ports of its session's configuration", () => {
  expect(configuredParts(configured, "local")).toEqual({
    snapshotId: "snap-setup",
    envFiles: applied.envFiles,
    ports: [3000],
  });
  expect(configured.serviceCommands).toEqual(applied.serviceCommands);
});

it("another provider does without the snapshot, and a scratch session without anything", () => {
  expect(configuredParts(configured, "modal")).not.toHaveProperty("snapshotId");
  expect(configuredParts(scratch, "local")).toEqual({});
});
