import { describe, expect, it } from "vitest";
import { sessionKindSchema } from "#contracts/session/kind";
import { toolNames, toolsOf } from "#contracts/tools/registry";
import { agentInstructions, type InstructionsInput } from "./instructions.ts";

const input: InstructionsInput = {
  kind: "coding",
  repositories: [],
  run: null,
  systemPrompt: null,
};
const run = { runId: "run_1", completionId: "cmd_1" };
const kinds = sessionKindSchema.options;

describe.each(kinds)("the instructions of a %s session", (kind) => {
  it("name no tool that its agent does not have", () => {
    const text = agentInstructions({ ...input, kind, run });
    const named = toolNames.filter((name) => text.includes(name));
    expect(toolsOf(kind).map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  });

  it("explain the command inside, whoever wrote the prompt", () => {
    for (const systemPrompt of [null, "You are a pirate."]) {
      const text = agentInstructions({ ...input, kind, run, systemPrompt });
      for (const word of ["services start", "env apply", "actions run"]) {
        expect(text).toContain(`proliferate ${word}`);
      }
    }
  });
});

it("an automation is told to code like anybody else, and how to report", () => {
  const text = agentInstructions({ ...input, kind: "automation", run });
  expect(text).toContain("Run the tests");
  expect(text).toContain('`run_id` "run_1" and `completion_id` "cmd_1"');
});

it("a prompt of its own takes the guidance away, but not the demands", () => {
  const own = { ...input, systemPrompt: "You are a pirate." };
  const automation = agentInstructions({ ...own, kind: "automation", run });
  expect(automation).toContain("You are a pirate.");
  expect(automation).not.toContain("Run the tests");
  expect(automation).toContain("automation_complete");
  const setup = agentInstructions({ ...own, kind: "setup" });
  expect(setup).toContain("save_service_commands");
  expect(setup).toContain("Save Snapshot");
});

it("says where each repository is, and not with which password it was cloned", () => {
  const repositories = [
    { url: "https://me:hunter2@git.example.org/acme/shop.git", ref: "main", path: "shop" },
    { url: "git@git.example.org:acme/api.git", ref: "main", path: "services/api" },
  ];
  const text = agentInstructions({ ...input, repositories });
  expect(text).toContain("- `shop`: acme/shop");
  expect(text).toContain("- `services/api`: acme/api");
  expect(text).not.toContain("hunter2");
});
