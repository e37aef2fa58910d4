import { expect, it } from "vitest";
import { parseEvent } from "../event-registry.ts";
import { newId } from "../ids.ts";

const created = {
  title: "Fix it",
  origin: { kind: "user", userId: newId("user") },
  repository: { url: "https://git.example.org/shop.git", ref: "main" },
  model: "anthropic/claude-opus-4-6",
  fingerprint: "f",
};
const read = (data: Record<string, unknown>) =>
  parseEvent({ id: newId("event"), type: "SessionCreated", v: 1, data }).data;

it("reads a session of the first version with its kind, its repository and its model", () => {
  expect(read(created)).toEqual({
    title: "Fix it",
    origin: created.origin,
    kind: "coding",
    repositories: [{ url: "https://git.example.org/shop.git", ref: "main", path: "." }],
    model: "claude-opus-4.6",
    systemPrompt: null,
    fingerprint: "f",
  });
});

it("reads a session of a run as an automation, and keeps a model that nobody knows any more", () => {
  const origin = { kind: "automation", runId: newId("run") };
  expect(read({ ...created, origin, repository: null, model: "scripted" })).toMatchObject({
    kind: "automation",
    repositories: [],
    model: "scripted",
  });
});
