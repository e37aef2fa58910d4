/** What a worker's handler gets: a message as it stands in its stream, however it came to the worker. */
export interface WorkMessage {
  readonly subject: string;
  /** The sequence in its stream. */
  readonly seq: number;
  readonly data: Uint8Array;
  /** When the stream stored it; the same for each repetition. */
  readonly storedAt: Date;
  /** A header of the message; empty when there is none. */
  header(name: string): string;
  /** Parses the body. Throws SyntaxError when it is not JSON. */
  json(): unknown;
}

/** What a handler may answer: nothing when it is done, or when it wants to be asked again. */
export type Handled = void | { readonly retryInMs: number };

export type WorkHandler = (message: WorkMessage, attempt: number) => Promise<Handled>;
