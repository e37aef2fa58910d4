import { createReadStream } from "node:fs";

export interface FileLine {
  /** Without its end. */
  readonly text: string;
  /** How many bytes of the file have been read with this line and its end. */
  readonly offset: number;
}

const newline = 0x0a;

/** The lines of a file. What stands after the last end of a line is no line. */
export async function* readFileLines(path: string): AsyncGenerator<FileLine> {
  let pieces: Buffer[] = [];
  let offset = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const bytes = Buffer.concat([...pieces, chunk.subarray(start, end)]);
      pieces = [];
      offset += bytes.length + 1;
      yield { text: bytes.toString("utf8"), offset };
      start = end + 1;
    }
    pieces.push(chunk.subarray(start));
  }
}
