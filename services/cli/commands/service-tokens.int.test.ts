import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import {
  type ActionStack,
  startActionStack,
  testSecretsKey,
} from "../../actions/testing/action-stack.ts";
import { openDirectory } from "../../identity/directory.ts";
import { runCommands } from "../testing/run-commands.ts";
import { addServiceTokenCommands } from "./service-tokens.ts";

let stack: ActionStack;
let organization: string;

beforeAll(async () => {
  stack = await startActionStack();
  const owner = { name: "Owner", email: "owner@example.com" };
  const directory = await openDirectory(stack.sql);
  ({ organizationId: organization } = await directory.createOrganization({ name: "ours", owner }));
});
afterAll(() => stack.close());

const run = (...args: readonly string[]) =>
  runCommands(stack, [addServiceTokenCommands], {
    args: ["service-tokens", ...args],
    settings: { SECRETS_KEY: testSecretsKey },
  });

it("operators issue, list and revoke tokens, and the list names them", async () => {
  const issue = (name: string, ...options: readonly string[]) =>
    run("issue", organization, "--name", name, ...options);
  await expect(issue("Not A Name")).rejects.toThrow("small letters");
  await expect(issue("nightly", "--scopes", "everything")).rejects.toThrow("read or sessions");
  const [token] = await issue("nightly", "--scopes", "read,sessions", "--by", "alice");
  expect(token).toMatch(/^svc1\./);

  const listed = async () => (await run("list", organization)).slice(1);
  const [line = ""] = await listed();
  expect(line).toMatch(/^svt_\w{26} +nightly +read,sessions +alice +\d{4}-\S+Z +-$/);
  const [id = ""] = line.split(" ");
  expect(await run("revoke", id, "--by", "bob")).toEqual(["Revoked."]);
  expect(await run("revoke", id)).toEqual(["There is no such token to be revoked."]);
  expect(await run("revoke", newId("service_token"))).toHaveLength(1);
  expect(await listed()).toEqual([expect.stringMatching(/ alice .* by bob$/)]);
});
