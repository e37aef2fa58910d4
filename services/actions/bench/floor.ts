/** What a command cannot do without: a request over HTTP, and its commits one after the other. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { StorageType } from "@nats-io/jetstream";
import type { EventStore } from "#event-store/event-store";

export interface Floor {
  readonly url: string;
  close(): Promise<void>;
}

/** As long as the commits of a small command are. */
const commit = "x".repeat(600);

/** Publishes ready-made messages to a stream that nobody reads, without an expected sequence. */
export const startFloor = async (
  { js, jsm }: EventStore,
  { commits }: { readonly commits: number },
): Promise<Floor> => {
  const subject = "bench.floor";
  await jsm.streams.add({ name: "BENCH_FLOOR", subjects: [subject], storage: StorageType.File });
  const publish = async (): Promise<void> => {
    for (let count = 0; count < commits; count += 1) await js.publish(subject, commit);
  };
  const server = createServer((request, response) => {
    request.resume();
    publish().then(
      () => response.end("{}"),
      (error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      },
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
