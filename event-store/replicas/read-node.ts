/**
 * What a node itself says of its replicas. Only its monitoring tells: over a client connection the
 * leader answers for all, and a replica that lost messages claims to be current.
 */
import { z } from "zod";
import { DomainError } from "#contracts/errors";

const requestTimeoutMs = 5_000;
const eventStream = /^EVENTS_\d+$/;

/** The copy of one event stream that one node holds. */
export interface Replica {
  readonly node: string;
  readonly stream: string;
  /** 0 while it holds nothing, as with `lastSequence`. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly messages: number;
}

export interface NodeReading {
  readonly node: string;
  readonly monitor: string;
  /** The folder, on the node's host, that holds its accounts' streams. */
  readonly storeDir: string;
  readonly replicas: readonly Replica[];
  /** By stream: the nodes that hold a replica of it, as far as this node knows, and its account. */
  readonly placements: ReadonlyMap<string, Placement>;
}

export interface Placement {
  readonly account: string;
  /** The name of the replicas' Raft group; undefined for a stream with one copy. */
  readonly raftGroup: string | undefined;
  readonly nodes: readonly string[];
  /** Undefined during an election. */
  readonly leader: string | undefined;
}

const streamSchema = z.object({
  name: z.string(),
  cluster: z
    .object({
      leader: z.string().optional(),
      raft_group: z.string().optional(),
      replicas: z.array(z.object({ name: z.string() })).optional(),
    })
    .optional(),
  state: z.object({ messages: z.number(), first_seq: z.number(), last_seq: z.number() }),
});

const jszSchema = z.object({
  config: z.object({ store_dir: z.string() }),
  account_details: z
    .array(z.object({ name: z.string(), stream_detail: z.array(streamSchema).optional() }))
    .optional(),
});

const varzSchema = z.object({ server_name: z.string() });

/**
 * Reads the event streams of the node whose monitoring has this base URL.
 *
 * @throws DomainError `log_unavailable` if it does not answer, or not as a server with JetStream does
 */
export const readNode = async (monitor: string): Promise<NodeReading> => {
  const [{ server_name: node }, jsz] = await Promise.all([
    ask(monitor, "/varz", varzSchema),
    ask(monitor, "/jsz?accounts=true&streams=true", jszSchema),
  ]);
  const streams = (jsz.account_details ?? []).flatMap(({ name: account, stream_detail }) =>
    (stream_detail ?? [])
      .filter(({ name }) => eventStream.test(name))
      .map((stream) => ({ account, ...stream })),
  );
  return {
    node,
    monitor,
    storeDir: jsz.config.store_dir,
    replicas: streams.map(({ name, state }) => ({
      node,
      stream: name,
      firstSequence: state.first_seq,
      lastSequence: state.last_seq,
      messages: state.messages,
    })),
    placements: new Map(
      streams.map(({ name, account, cluster }) => {
        const others = (cluster?.replicas ?? []).map((replica) => replica.name);
        return [
          name,
          {
            account,
            raftGroup: cluster?.raft_group,
            nodes: [node, ...others],
            leader: cluster?.leader === "" ? undefined : cluster?.leader,
          },
        ];
      }),
    ),
  };
};

const ask = async <T>(monitor: string, path: string, schema: z.ZodType<T>): Promise<T> => {
  try {
    const response = await fetch(new URL(path, monitor), {
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    return schema.parse(await response.json());
  } catch (cause) {
    throw new DomainError("log_unavailable", `The monitoring at ${monitor} does not answer.`, {
      fields: { monitor },
      cause,
    });
  }
};
