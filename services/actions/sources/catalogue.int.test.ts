import { afterAll, beforeAll, expect, it } from "vitest";
import { DomainError } from "#contracts/errors";
import { requireSession } from "../../sessions/session-log.ts";
import { listAvailable } from "./catalogue.ts";
import type { ActionSource } from "./source.ts";
import { type ActionStack, startActionStack } from "../testing/action-stack.ts";

let stack: ActionStack;

beforeAll(async () => {
  stack = await startActionStack();
});
afterAll(() => stack.close());

const sourceThat = (id: string, list: ActionSource["list"]): ActionSource => ({
  id,
  name: id,
  list,
  guide: () => Promise.resolve(""),
  execute: () => Promise.reject(new Error("Nothing is executed here.")),
});

it("names the integrations that cannot be listed, with the reason, beside those that can", async () => {
  const { store, log, organization, deps } = stack;
  const down = new DomainError("integration_unreachable", "It cannot be reached.");
  const sources = [
    sourceThat("silent", () => new Promise(() => undefined)),
    sourceThat("down", () => Promise.reject(down)),
    sourceThat("broken", () => Promise.reject(new Error("a password is in this message"))),
    ...(await deps.registry.sourcesOf(organization)),
  ];
  // Listed before, it answers at once, however busy the machine is.
  await sources.at(-1)?.list();
  const id = await stack.createSession();
  const state = await requireSession(store, { organization, session: id });
  const registry = { sourcesOf: () => Promise.resolve(sources) };
  const listed = await listAvailable(
    { store, log, registry, clock: deps.clock, patienceMs: 200 },
    organization,
    { id, state },
  );
  expect(listed.map(({ id, problem }) => [id, problem?.code ?? null])).toEqual([
    ["silent", "integration_timed_out"],
    ["down", "integration_unreachable"],
    ["broken", "internal"],
    ["demo", null],
  ]);
  expect(JSON.stringify(listed)).not.toContain("password");
  expect(listed[3]?.actions[0]).toMatchObject({
    id: "list_releases",
    mode: "allow",
    modeSource: "inferred",
    drifted: false,
  });
});
