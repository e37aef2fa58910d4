/**
 * Remembers which changes were made under which key, in a file beside the workspace: so it travels with the
 * repositories that they were made in, and a request that comes again is answered again.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import pLimit from "p-limit";
import { z } from "zod";
import { DomainError } from "#contracts/errors";

const changeSchema = z.object({
  key: z.string(),
  /** Of what was asked. */
  fingerprint: z.string(),
  /** Undefined: it was begun, and its end was not seen. */
  answer: z.unknown().optional(),
});
type Change = z.infer<typeof changeSchema>;

const storedSchema = z.object({ version: z.literal(1), changes: z.array(changeSchema) });

/** Of older ones nobody waits for an answer. */
const remembered = 200;

export interface RememberedChanges {
  /**
   * Makes a change that was not made under this key yet; else answers what it answered then. A change that is
   * refused has changed nothing, and is not remembered.
   * @throws DomainError `idempotency_key_reused` for another request under the same key, `git_outcome_unknown`
   * when this process's predecessor died while it made the change
   */
  once<Answer>(key: string, asked: unknown, make: () => Promise<Answer>): Promise<Answer>;
}

/** @param stateFolder the sidecar's own */
export const rememberChanges = (stateFolder: string): RememberedChanges => {
  const file = path.join(stateFolder, "git-changes.json");
  // One at a time, so that a repetition that comes meanwhile waits for the first.
  const turn = pLimit(1);

  const write = async (changes: readonly Change[]): Promise<void> => {
    await mkdir(stateFolder, { recursive: true, mode: 0o700 });
    const content = JSON.stringify({ version: 1, changes: changes.slice(-remembered) });
    await writeFile(`${file}.new`, content, { mode: 0o600 });
    await rename(`${file}.new`, file);
  };

  return {
    once: <Answer>(key: string, asked: unknown, make: () => Promise<Answer>) =>
      turn(async () => {
        const changes = await readChanges(file);
        const fingerprint = createHash("sha256").update(JSON.stringify(asked)).digest("hex");
        const known = changes.find((change) => change.key === key);
        if (known) return answerOf<Answer>(known, fingerprint);
        await write([...changes, { key, fingerprint, answer: undefined }]);
        const answer = await make().catch(async (error: unknown) => {
          await write(changes);
          throw error;
        });
        await write([...changes, { key, fingerprint, answer }]);
        return answer;
      }),
  };
};

const answerOf = <Answer>({ answer, ...known }: Change, fingerprint: string): Answer => {
  if (known.fingerprint !== fingerprint) {
    throw new DomainError("idempotency_key_reused", "The key was used for another change.");
  }
  if (answer === undefined) {
    throw new DomainError(
      "git_outcome_unknown",
      "It is not known whether this was done: look at the repository before you ask anew.",
    );
  }
  // Written by `once` itself, under the same key and for the same request.
  return answer as Answer;
};

/** A file that cannot be read as ours, because the agent has changed it, remembers nothing. */
const readChanges = async (file: string): Promise<readonly Change[]> => {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "null";
    throw error;
  });
  try {
    return storedSchema.safeParse(JSON.parse(text)).data?.changes ?? [];
  } catch {
    return []; // Not JSON.
  }
};
