/**
 * The file that an organisation's history is exported to, as lines of JSON: a header, a line for each
 * commit in the order of the log, and a closing line with their number and the SHA-256 of everything
 * before it. A file without a closing line was not finished.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { type AggregateRef, aggregateTypes, type Commit, commitSchema } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import { parsePosition } from "../position.ts";
import { hashOf } from "../reading/recorded.ts";
import { ChainHeads } from "../reading/verify-chain.ts";
import type { FileLine } from "./file-lines.ts";
import type { StoredMessage } from "./stored-messages.ts";

const headerSchema = z.strictObject({
  format: z.literal("proliferate-history"),
  v: z.literal(1),
  organization: z.string().regex(/^[\w-]{1,128}$/),
  /** The position of the end of the log when the export began: the last that it may hold. */
  through: z.string(),
});
/** How every export begins. */
export const headerStart = '{"format":"proliferate-history"';
export type ExportHeader = z.infer<typeof headerSchema>;

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const entrySchema = z.strictObject({
  position: z.string(),
  /** When it was stored in the log that it comes from. */
  storedAt: z.iso.datetime(),
  aggregate: z.enum(aggregateTypes),
  id: z.string().regex(/^[\w-]{1,128}$/),
  /** Of the stored bytes, which are the JSON of `commit` without spaces. */
  hash: hex,
  commit: commitSchema,
});
const closingSchema = z.strictObject({ commits: z.int().nonnegative(), sha256: hex });

export interface ExportedCommit {
  readonly ref: AggregateRef;
  readonly sequence: number;
  readonly hash: string;
  /** As it was stored: its JSON has the hash. */
  readonly commit: Commit;
}

const encoder = new TextEncoder();

/** The line of a stored commit. Throws `export_invalid` for one that JSON would not give back. */
export const entryLine = (
  { shard, seq, data, storedNanos }: StoredMessage,
  { aggregate, id }: AggregateRef,
): string => {
  const position = `${shard}:${seq}`;
  const hash = hashOf(data);
  const commit = JSON.parse(new TextDecoder().decode(data)) as unknown;
  if (hashOf(encoder.encode(JSON.stringify(commit))) !== hash) {
    throw new DomainError(
      "export_invalid",
      `The commit ${position} is not written as this program writes commits.`,
      { fields: { position } },
    );
  }
  const storedAt = new Date(Number(storedNanos / 1_000_000n)).toISOString();
  return JSON.stringify({ position, storedAt, aggregate, id, hash, commit });
};

/** Goes through the lines of an export, and refuses the first that cannot be right. */
export class ExportCheck {
  readonly #path: string;
  readonly #digest = createHash("sha256");
  readonly #heads = new ChainHeads();
  #header: ExportHeader | null = null;
  #closed = false;
  #lines = 0;
  #commits = 0;
  #sequence = 0;

  /** The path is only shown. */
  constructor(path: string) {
    this.#path = path;
  }

  get header(): ExportHeader | null {
    return this.#header;
  }

  /** Whether the closing line was seen, and right. */
  get closed(): boolean {
    return this.#closed;
  }

  get commits(): number {
    return this.#commits;
  }

  /** Of the last commit; 0 before the first. */
  get sequence(): number {
    return this.#sequence;
  }

  /** What the closing line has to say. */
  get closing(): string {
    return JSON.stringify({
      commits: this.#commits,
      sha256: this.#digest.copy().digest("hex"),
    });
  }

  /** Takes the next line. Answers its commit, or null for the header and the closing line. */
  take(line: Pick<FileLine, "text">): ExportedCommit | null {
    this.#lines += 1;
    if (this.#closed) this.#refuse("it goes on after its end");
    const taken = this.#read(line.text);
    this.#digest.update(`${line.text}\n`);
    return taken;
  }

  #read(text: string): ExportedCommit | null {
    const content = this.#parse(text);
    if (this.#header === null) {
      const header = headerSchema.safeParse(content);
      if (!header.success) return this.#refuse("it is not the header of an export");
      this.#header = header.data;
      return null;
    }
    if (closingSchema.safeParse(content).success) {
      if (text !== this.closing)
        this.#refuse("its counts or hash are not those of the lines before");
      this.#closed = true;
      return null;
    }
    return this.#entry(content, this.#header);
  }

  #entry(content: unknown, { organization, through }: ExportHeader): ExportedCommit {
    const parsed = entrySchema.safeParse(content);
    if (!parsed.success) return this.#refuse("it is not the line of a commit");
    const { aggregate, id, hash, position } = parsed.data;
    // Not what zod made of it: the hash is of the fields as they stand, in their order.
    const { commit } = content as { readonly commit: Commit };
    if (hashOf(encoder.encode(JSON.stringify(commit))) !== hash) {
      return this.#refuse("the commit does not have its hash");
    }
    const { shard, sequence } = parsePosition(position);
    const end = parsePosition(through);
    if (shard !== end.shard || sequence <= this.#sequence || sequence > end.sequence) {
      return this.#refuse("the commit stands out of order");
    }
    const ref = { organization, aggregate, id };
    if (commit.meta.prev !== this.#heads.follow(ref, hash)) {
      return this.#refuse("the commit does not follow the one before it of its aggregate");
    }
    this.#sequence = sequence;
    this.#commits += 1;
    return { ref, sequence, hash, commit };
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return this.#refuse("it is not JSON");
    }
  }

  #refuse(why: string): never {
    throw new DomainError("export_invalid", `Line ${this.#lines} of ${this.#path}: ${why}.`, {
      fields: { line: this.#lines },
    });
  }
}
