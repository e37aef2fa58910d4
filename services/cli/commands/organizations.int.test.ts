import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import { readConfig } from "../../config.ts";
import { changeOrganization, loadOrganization } from "../../organization/commands.ts";
import { addOrganizationCommands } from "./organizations.ts";

let test: TestEventStore;
beforeAll(async () => {
  test = await openTestEventStore();
});
afterAll(() => test.close());

const organization = newId("organization");

/** What the operator's CLI prints. */
const autoDelete = async (of: string, days: string): Promise<readonly string[]> => {
  const lines: string[] = [];
  const config = readConfig({
    NATS_URL: test.url,
    // Nothing of this is asked of a database.
    DATABASE_URL: "postgres://127.0.0.1:1/none",
    DATA_DIR: join(tmpdir(), newId("command")),
    SECRETS_KEY: "11".repeat(32),
    DURABILITY: test.durability,
  });
  const program = new Command().configureOutput({ writeErr: () => undefined }).exitOverride();
  addOrganizationCommands(program, { config, print: (line) => void lines.push(line) });
  const args = ["organizations", "auto-delete", of, days, "--by", "alice"];
  await program.parseAsync(args, { from: "user" });
  return lines;
};

it("operators set when an organisation's unused sessions go", async () => {
  await expect(autoDelete(organization, "14")).rejects.toMatchObject({ code: "not_found" });
  const meta = newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
  const never = { type: "SetAutoDeleteDefault", days: null } as const;
  await changeOrganization(test.store, organization, never, meta);
  const present = async () => (await loadOrganization(test.store, organization)).state.autoDelete;

  expect((await autoDelete(organization, "14")).join("")).toContain("after 14 days without use");
  expect(await present()).toEqual({ days: 14 });
  await autoDelete(organization, "never");
  expect(await present()).toEqual({ days: null });
  await autoDelete(organization, "deployment");
  expect(await present()).toBe("deployment");
  for (const wrong of ["0", "2.5", "", "soon"]) {
    await expect(autoDelete(organization, wrong)).rejects.toThrow("a number from 1 to 3650");
  }
});
