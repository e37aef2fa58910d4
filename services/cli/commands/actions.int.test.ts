import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import {
  type FullResultWorld,
  startFullResultWorld,
} from "../../actions/full-results/testing/full-result-world.ts";
import { testSecretsKey } from "../../actions/testing/action-stack.ts";
import { runCommands } from "../testing/run-commands.ts";
import { addActionCommands } from "./actions.ts";
import { addAuditCommands } from "./audit/index.ts";

let world: FullResultWorld;

beforeAll(async () => {
  world = await startFullResultWorld();
});
afterAll(() => world.close());

/** What the operator's CLI prints. */
const run = (args: readonly string[], settings = { SECRETS_KEY: testSecretsKey }) =>
  runCommands(world.stack, [addActionCommands, addAuditCommands], { args, settings });

it("operators turn the keeping on and off, and read what is kept; all of it is in the audit trail", async () => {
  const { organization } = world.stack;
  const session = await world.stack.createSession();
  const keep = (wish: string, of: string = organization) =>
    run(["actions", "keep-results", of, wish, "--by", "alice"]);
  await expect(keep("on", newId("organization"))).rejects.toMatchObject({ code: "not_found" });
  await expect(keep("maybe")).rejects.toThrow("on, off");
  expect(await keep("on")).toEqual(["Full results are kept from now on."]);

  const whole = { text: "x".repeat(20_000), colour: "\u009b31m" };
  const { id } = await world.executed(session, whole);
  const read = (...options: string[]) => run(["actions", "result", id, "--by", "bob", ...options]);
  expect((await read()).join("\n")).toBe(
    JSON.stringify(whole, null, 2).replace("\u009b", "\\u009b"),
  );
  expect(JSON.parse((await read("--json")).join(""))).toMatchObject({
    invocation: id,
    result: whole,
    bytes: Buffer.byteLength(JSON.stringify(whole)),
  });
  await expect(run(["actions", "result", id], { SECRETS_KEY: "" })).rejects.toMatchObject({
    code: "prerequisite_missing",
  });

  const readings = await run(["audit", "log", "--type", "FullResultRead", "--json"]);
  expect(readings).toHaveLength(2);
  const { position } = JSON.parse(readings[0] ?? "") as { position: string };
  const shown = (await run(["audit", "show", position])).join("\n");
  expect(shown).toContain('"by": "bob"');
  const changes = await run(["audit", "log", "--type", "FullResultKeepingSet", "--actor", "alice"]);
  expect(changes.at(-1)).toContain("FullResultKeepingSet");

  expect((await keep("off")).join("")).toContain("until their time is over");
  const { id: later } = await world.executed(session, whole);
  await expect(run(["actions", "result", later])).rejects.toMatchObject({
    code: "full_result_not_found",
    fields: { reason: "not_kept" },
  });
});
