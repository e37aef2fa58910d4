import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { newId, type OrganizationId } from "#contracts/ids";
import {
  type ActionStack,
  startActionStack,
  testSecretsKey,
} from "../../../actions/testing/action-stack.ts";
import { openDirectory } from "../../../identity/directory.ts";
import { changePolicy, loadPolicy } from "../../../policy/commands.ts";
import { newCommandMeta } from "#event-store/command-meta";
import { runCommands } from "../../testing/run-commands.ts";
import { addAuditCommands } from "../audit/index.ts";
import { addPolicyCommands } from "./index.ts";

let stack: ActionStack;
let organization: OrganizationId;
let owner: string;

beforeAll(async () => {
  stack = await startActionStack();
});
afterAll(() => stack.close());

beforeEach(async () => {
  const directory = await openDirectory(stack.sql);
  const email = `${newId("command")}@example.com`;
  const made = await directory.createOrganization({ name: "ours", owner: { name: "Ada", email } });
  ({ organizationId: organization, id: owner } = made);
  const meta = newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
  const known = { type: "SetFullResultKeeping", keep: true } as const;
  await changePolicy(stack.store, organization, known, meta);
});

const run = (...args: readonly string[]) =>
  runCommands(stack, [addPolicyCommands, addAuditCommands], {
    args,
    settings: {
      SECRETS_KEY: testSecretsKey,
      CONNECTORS: JSON.stringify([{ id: "demo", name: "Demo", kind: "mcp", url: stack.demo.url }]),
    },
  });
const listed = (what: string) => run("policy", what, "list", organization);
const dryRun = async (...options: readonly string[]) =>
  (await run("policy", "dry-run", organization, "demo", "publish_release", ...options)).join("\n");

it("operators set modes and take them back; what they let run has been looked at", async () => {
  const modes = (verb: string, ...args: readonly string[]) =>
    run("policy", "modes", verb, organization, ...args);
  const publish = ["demo", "publish_release"];
  await expect(run("policy", "modes", "list", newId("organization"))).rejects.toMatchObject({
    code: "not_found",
  });
  expect(await listed("modes")).toEqual(["No mode is set."]);
  await expect(modes("set", ...publish, "perhaps")).rejects.toThrow("require_approval, deny");

  expect(await modes("set", ...publish, "allow", "--by", owner)).toEqual([
    "demo / publish_release: allow.",
  ]);
  const { reviewed } = await loadPolicy(stack.store, organization);
  expect(Object.keys(reviewed)).toEqual([JSON.stringify(publish)]);
  expect(await dryRun()).toMatch(/^allow: .* the organisation has set a mode/);
  const unseen = await modes("set", "demo", "gone\u001b", "allow", "--by", "alice");
  expect(unseen).toEqual([
    "demo / gone\\u001b: allow.",
    expect.stringContaining("nobody is asked again"),
  ]);
  const automation = newId("trigger");
  await modes("set", ...publish, "deny", "--automation", automation, "--by", "alice");
  expect((await listed("modes")).slice(1)).toEqual([
    expect.stringMatching(/^allow +Ada +20\S+Z +- +demo \/ publish_release$/),
    expect.stringMatching(/^allow +alice .* demo \/ gone\\u001b$/),
    expect.stringMatching(new RegExp(`^deny +alice +20\\S+Z +${automation} +demo / publish_rel`)),
  ]);

  await modes("clear", ...publish, "--automation", automation, "--by", "alice");
  await modes("clear", ...publish, "--by", "alice");
  await modes("clear", "demo", "gone\u001b", "--by", "alice");
  expect(await listed("modes")).toEqual(["No mode is set."]);
  expect(await dryRun()).toMatch(/^require_approval: Nobody has decided/);
  const cleared = ["--organization", organization, "--type", "ActionModeCleared"];
  expect(await run("audit", "log", ...cleared, "--actor", "alice", "--json")).toHaveLength(2);
});

it("operators say how far an integration reaches, and one action of it", async () => {
  const risks = (verb: string, ...args: readonly string[]) =>
    run("policy", "risks", verb, organization, "demo", ...args);
  await risks("set", "danger", "--by", owner);
  expect(await dryRun()).toMatch(/^deny: /);
  await risks("set", "read", "--action", "publish_release", "--by", "alice");
  expect(await dryRun()).toMatch(/^allow: /);
  expect((await listed("risks")).slice(1)).toEqual([
    expect.stringMatching(/^danger +Ada +20\S+Z +demo$/),
    expect.stringMatching(/^read +alice +20\S+Z +demo \/ publish_release$/),
  ]);
  await risks("clear", "--by", "alice");
  expect(await risks("clear", "--action", "publish_release")).toEqual([
    "demo / publish_release: as the integration says.",
  ]);
  expect(await listed("risks")).toEqual(["No risk is overridden."]);
});

it("operators add rules with all that a rule has, see which one decides, and remove them", async () => {
  const add = (...options: readonly string[]) =>
    run("policy", "rules", "add", organization, "--integration", "demo", ...options);
  const when = (condition: unknown) => ["--when", JSON.stringify(condition)];
  const wrong = {
    "It has to be a condition": when({ op: "sounds like", path: "version" }),
    "It has to be JSON": ["--when", "version = 1"],
    "from 1 to 1000": ["--budget", "0"],
    "an instant": ["--expires", "tomorrow"],
    "cannot be used": ["--session", newId("session"), "--automation", newId("trigger")],
  };
  for (const [text, options] of Object.entries(wrong)) {
    await expect(add("--mode", "allow", ...options)).rejects.toThrow(new RegExp(text));
  }
  await expect(add("--mode", "deny", "--budget", "3")).rejects.toMatchObject({
    code: "policy_rule_invalid",
  });

  const [ruleId = ""] = await add(
    ...["--action", "publish_release", "--mode", "allow", "--note", "nightly", "--by", owner],
    ...["--expires", "2099-01-01T00:00:00Z", "--budget", "3"],
    ...when({ op: "matches", path: "version", glob: "1.*" }),
    ...when({ op: "in", path: "channel", values: ["beta"] }),
  );
  const session = newId("session");
  const [other = ""] = await add("--mode", "deny", "--session", session, "--by", "alice");
  expect((await listed("rules")).slice(1)).toEqual([
    expect.stringMatching(
      new RegExp(
        `^${ruleId} +allow +organisation +Ada +20\\S+Z +2099-01-01T00:00:00.000Z +0/3 +` +
          String.raw`demo / publish_release if version like "1\.\*" if channel in \["beta"\] \(nightly\)$`,
      ),
    ),
    expect.stringMatching(new RegExp(`^${other} +deny +${session} +alice .* - +- +demo / \\*$`)),
  ]);
  const asked = ["--params", JSON.stringify({ version: "1.2", channel: "beta" })];
  expect(await dryRun(...asked)).toBe(
    [
      "allow: A rule of the organisation decides.",
      "rule                            finding",
      `${ruleId}  decides`,
      `${other}  other_scope`,
    ].join("\n"),
  );
  expect(JSON.parse(await dryRun("--json"))).toMatchObject({
    mode: "require_approval",
    rules: [{ finding: "condition_not_met" }, { finding: "other_scope" }],
  });

  const remove = (id: string) => run("policy", "rules", "remove", organization, id);
  expect(await remove(ruleId)).toEqual(["Removed."]);
  await expect(remove(ruleId)).rejects.toMatchObject({ code: "policy_rule_not_found" });
  await remove(other);
  expect(await listed("rules")).toEqual(["There are no rules."]);
});
