/** A client of the tier for tests: connects, checks every frame against the contract, and rebuilds what it was told. */
import { foldStreaming, type Streaming } from "#contracts/live/streaming";
import { type LiveMessage, type ServerFrame, serverFrameSchema } from "#contracts/live/messages";
import { connectSocket, type SocketClient } from "./socket-client.ts";

export interface TestClient extends SocketClient {
  frames(): ServerFrame[];
  live(): { readonly seq: number; readonly message: LiveMessage }[];
  /** The newest sequence number that it was told of. */
  lastSeq(): number;
  /** What is being streamed, folded from the first frame and those after it. */
  streaming(): Streaming;
}

export const connectClient = async (url: string): Promise<TestClient> => {
  const socket = await connectSocket(url);
  const frames = (): ServerFrame[] =>
    socket.texts.map((text) => serverFrameSchema.parse(JSON.parse(text)));
  const live = () => frames().flatMap((frame) => (frame.type === "live" ? [frame] : []));
  return {
    ...socket,
    frames,
    live,
    lastSeq: () =>
      frames().reduce((seq, frame) => ("seq" in frame ? Math.max(seq, frame.seq) : seq), 0),
    streaming: () =>
      frames().reduce<Streaming>((streaming, frame) => {
        if (frame.type === "init") return frame.streaming;
        return frame.type === "live" ? foldStreaming(streaming, frame.message) : streaming;
      }, []),
  };
};

/** The text of the only part that is being streamed. */
export const textOf = (streaming: Streaming): string => {
  const part = streaming[0]?.parts[0];
  return part && part.kind !== "tool" ? part.text : "";
};
