/**
 * A time zone of a test's own, in the format of the IANA's compiled files (RFC 8536), so that a change
 * to or from summer time can be had at any moment. A Go program looks into `ZONEINFO` first.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export interface TestZone {
  /** For example `Test/Spring`. */
  readonly name: string;
  /** Seconds east of UTC before the change. */
  readonly offset: number;
  /** The change, in seconds since 1970, and the offset after it. */
  readonly changeAt: number;
  readonly offsetAfter: number;
}

export const writeZone = async (
  folder: string,
  { name, offset, changeAt, offsetAfter }: TestZone,
): Promise<void> => {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  // The first block is for readers of 32 bits, and nobody's.
  await writeFile(
    file,
    Buffer.concat([
      header({ changes: 0, types: 1, letters: 4 }),
      Buffer.concat([localTimeType(0), Buffer.from("UTC\0")]),
      header({ changes: 1, types: 2, letters: 4 }),
      int64(changeAt),
      Buffer.from([1]),
      localTimeType(offset),
      localTimeType(offsetAfter),
      Buffer.from("TST\0"),
      Buffer.from("\n\n"),
    ]),
  );
};

const header = (counts: { changes: number; types: number; letters: number }): Buffer => {
  const buffer = Buffer.alloc(44);
  buffer.write("TZif2");
  buffer.writeUInt32BE(counts.changes, 32);
  buffer.writeUInt32BE(counts.types, 36);
  buffer.writeUInt32BE(counts.letters, 40);
  return buffer;
};

const localTimeType = (offset: number): Buffer => {
  const buffer = Buffer.alloc(6);
  buffer.writeInt32BE(offset);
  return buffer;
};

const int64 = (value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(BigInt(value));
  return buffer;
};
