import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type RememberedChanges, rememberChanges } from "./remembered-changes.ts";

let folder: string;
let made: number;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "proliferate-changes-"));
  made = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const make = (): Promise<{ made: number }> => Promise.resolve({ made: (made += 1) });
const commit = (changes: RememberedChanges, key = "key") => changes.once(key, "commit", make);

it("makes a change once for those who ask at once, and for those who ask a later process", async () => {
  const changes = rememberChanges(folder);
  const answers = await Promise.all([commit(changes), commit(changes), commit(changes, "other")]);
  expect(answers).toEqual([{ made: 1 }, { made: 1 }, { made: 2 }]);
  expect(await commit(rememberChanges(folder))).toEqual({ made: 1 });
});

it("asks anew for what was refused", async () => {
  const changes = rememberChanges(folder);
  const refuse = () => Promise.reject(new Error("refused"));
  await expect(changes.once("key", "commit", refuse)).rejects.toThrow("refused");
  expect(await commit(changes)).toEqual({ made: 1 });
});

it("does not know what became of a change in the middle of which a process died", async () => {
  const file = path.join(folder, "git-changes.json");
  let asItWas = "";
  await rememberChanges(folder).once("key", "commit", async () => {
    asItWas = await readFile(file, "utf8");
  });
  await writeFile(file, asItWas);
  await expect(commit(rememberChanges(folder))).rejects.toMatchObject({
    code: "git_outcome_unknown",
  });
  expect(made).toBe(0);
  await writeFile(file, "what the agent has made of it");
  expect(await commit(rememberChanges(folder))).toEqual({ made: 1 });
});
